// The SDKs for JavaScript as clients: PACKAGE MODE COMMAND WORD... What they see is printed as one JSON document.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [name, mode, command, ...args] = process.argv.slice(2);
// This file does not lie among the packages.
const beside = createRequire(`${process.env.SKILLTREE_RUNTIMES}/package.json`);
const load = (path) => import(pathToFileURL(beside.resolve(path)).href);
const [{ Client }, { StdioClientTransport }] = await Promise.all(
    name === 'sdk'
        ? ['@modelcontextprotocol/sdk/client/index.js', '@modelcontextprotocol/sdk/client/stdio.js'].map(load)
        : ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio'].map(load),
);

const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
await client.connect(new StdioClientTransport({ command, args }));

const loaded = await client.callTool({ name: 'activate_skill', arguments: { name: 'pdf' } });
const refused = await client.callTool({ name: 'activate_skill', arguments: { name: 'secret' } });
const prompt = await client.getPrompt({ name: 'pdf', arguments: { arguments: 'x.pdf' } });
const read = await client.readResource({ uri: 'skill://project-agents/pdf/references/forms.md' });
const unknown = await client
    .readResource({ uri: 'skill://project-agents/pdf/none.md' })
    .then(() => null, (error) => error.code);

const seen = {
    server: client.getServerVersion()?.name ?? null,
    tools: (await client.listTools()).tools.map((tool) => tool.name),
    loaded: loaded.content[0].text,
    key: loaded._meta['skilltree/answer'].key,
    refused: [refused.isError, refused.content[0].text],
    prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
    prompt: prompt.messages[0].content.text,
    resources: (await client.listResources()).resources.map((resource) => resource.uri),
    templates: (await client.listResourceTemplates()).resourceTemplates.map((template) => template.uriTemplate),
    read: read.contents[0].text,
    unknown,
};

if (name === 'client') {
    // Its own reading of the Skills extension: entries are judged, digests and frontmatters compared.
    const { SkillsClient } = await load('@modelcontextprotocol/client/ext/skills');
    const yaml = (text) => Object.fromEntries(text.trim().split('\n').map((line) => line.split(': ', 2)));
    const skills = new SkillsClient(client, { parseFrontmatter: yaml, skipInvalid: true });
    const listing = await skills.list();
    const pdf = listing.skills.find((skill) => skill.uri === 'skill://project-agents/pdf/SKILL.md');
    const file = await skills.read(pdf);
    const folder = await skills.readDirectory('skill://project-agents/pdf');
    seen.skills = {
        supported: skills.supported && skills.directoryRead,
        listed: listing.skills.map((skill) => skill.uri),
        invalid: listing.invalid.map((entry) => entry.uri),
        verified: file.verified,
        frontmatter: file.frontmatter.name,
        other: (await skills.read(pdf, 'references/forms.md')).verified,
        folder: folder.resources.map((resource) => resource.name),
        got: (await skills.get(pdf.uri)).skill.uri,
    };
}
console.log(JSON.stringify(seen));
await client.close();
