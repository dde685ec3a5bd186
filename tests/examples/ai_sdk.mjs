// An agent of the AI SDK that lists, finds and loads skills, and a conversation with a test model.
//
// `tests/cli/npm.rs` runs it in `testdata/example/project`, with `testdata/example/home` as the home directory.

import { ToolLoopAgent, jsonSchema, tool } from 'ai';
import * as skilltree from 'skilltree';

const skills = await skilltree.discover({ dialect: 'claude' });
const { text: instructions } = await skilltree.prompt(skills);
const { name, description, input_schema } = await skilltree.tool(skills);

/** An agent for one conversation. */
function agentFor(model) {
  const sent = new Set();
  const execute = async given => {
    const called = await skilltree.call(skills, given);
    if (!called.ok) return called.error.message; // The model reads it, and may correct its call.
    const { text } = called.kind === 'pending' ? called.then : called;
    if (sent.has(text)) return (await skilltree.load(skills, called.key, { as: 'model', already: [called.key] })).text;
    sent.add(text);
    return text;
  };
  const find = async ({ query }) => {
    const { hits } = await skilltree.search(skills, query, { limit: 5 });
    return hits.map(({ key, description }) => `- ${key}: ${description}`).join('\n') || 'No skill fits.';
  };
  const query = jsonSchema({ type: 'object', properties: { query: { type: 'string' } }, required: ['query'] });
  const tools = {
    [name]: tool({ description, inputSchema: jsonSchema(input_schema), execute }),
    find_skills: tool({ description: 'Find skills for a task, the best first.', inputSchema: query, execute: find }),
  };
  return new ToolLoopAgent({ model, instructions, tools });
}

// The rest is the test. The guide shows what stands before it.

import assert from 'node:assert/strict';
import { MockLanguageModelV4 } from 'ai/test';

const calls = [
  ['find_skills', '{"query": "fill in a form"}'],
  ['Skill', '{"skill": "pdf-forms"}'],
  ['Skill', '{"skill": "pdf-forms"}'],
  ['Skill', '{"skill": "pdf-form"}'],
  ['Skill', '{}'],
];

/** What the model was given last, after it has made one call after the other. */
async function converse() {
  let made = 0;
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      const [toolName, input] = calls[made] ?? [];
      made += 1;
      const said = { type: 'text', text: 'Done.' };
      return {
        content: [toolName ? { type: 'tool-call', toolCallId: `${made}`, toolName, input } : said],
        finishReason: { unified: toolName ? 'tool-calls' : 'stop', raw: undefined },
        usage: { inputTokens: {}, outputTokens: {} },
        warnings: [],
      };
    },
  });
  const { text } = await agentFor(model).generate({ prompt: 'Fill in this form.' });
  assert.equal(text, 'Done.');
  return model.doGenerateCalls.at(-1);
}

function answersIn({ prompt }) {
  const messages = prompt.filter(({ role }) => role === 'tool');
  return messages.flatMap(({ content }) => content.map(({ output }) => output.value));
}

const given = await converse();
const [system] = given.prompt;
assert.deepEqual([system.role, system.content], ['system', instructions]);
assert.ok(instructions.includes('- pdf-forms: Fills in PDF forms.'), instructions);
assert.deepEqual(given.tools.map(tool => tool.name), ['Skill', 'find_skills']);
assert.equal(given.tools[0].description, description);
assert.deepEqual(given.tools[0].inputSchema, input_schema);

const answers = answersIn(given);
const [found, first, again, unknown, wrong] = answers;
assert.ok(found.startsWith('- pdf-forms: Fills in PDF forms.'), found);
assert.equal(first, (await skilltree.load(skills, 'pdf-forms', { as: 'model' })).text);
assert.ok(first.includes('Run `scripts/fields.py` on the form'), first);
assert.equal(again, 'The skill `pdf-forms` is already loaded; follow the instructions above.');
assert.equal(unknown, 'there is no skill `pdf-form`; did you mean `pdf-forms`?');
assert.ok(wrong.startsWith('expected an object with the text `skill`'), wrong);

// Another conversation has nothing yet.
assert.deepEqual(answersIn(await converse()), answers);
console.log(`${answers.length} calls are answered`);
