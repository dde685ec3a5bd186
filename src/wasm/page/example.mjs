// The example that the page starts with: one skill for each thing that can happen to a skill.

const files = {
  'brew/SKILL.md': `---
name: brew
description: Brews tea by kind and number of cups. Use when somebody asks for tea.
version: 1.2.0
allowed-tools: Read, Bash(kettle *)
argument-hint: "[kind]"
triggers:
  keywords: [tea, hot drink]
  verbs: [brew]
---

# Brew

Warm the pot, then brew $ARGUMENTS for three minutes. The kinds are in references/kinds.md.
`,
  'brew/references/kinds.md': 'Green at 70 degrees, black at 95.\n',
  'brew/scripts/boil.sh': '#!/bin/sh\necho boiling\n',
  'brew/steep/SKILL.md': `---
name: steep
description: Steeps leaves for longer.
---
Wait two more minutes.
`,
  'clean/SKILL.md': `---
name: clean
description: Use after a pot: rinses it, and never with soap.
---
Rinse with hot water.
`,
  'errand/SKILL.md': `---
name: errand
description: Buys leaves, apart from the conversation.
context: fork
sandbox: true
permissions: ["@network"]
---
Go and buy what is asked for.
`,
  'old-brew/SKILL.md': `---
name: brew
description: Brewed tea before there was a better way.
---
Boil everything together.
`,
  'pour/SKILL.md': `---
name: pour
description: Pours by hand, when the user says so.
disable-model-invocation: true
sven:
  user_invocable_only: true
---
Pour $ARGUMENTS slowly.
`,
  'stock/SKILL.md': `---
name: stock
description: Says which leaves are left.
---
Leaves that are left: !\`ls leaves\`
`,
  'unfinished/SKILL.md': `---
name: unfinished
---
Has no description yet.
`,
};

export const example = { name: 'skills', files: new Map(Object.entries(files)), left: [], kind: 'example' };
