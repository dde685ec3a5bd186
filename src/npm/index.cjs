// The package for `require`. Every function returns a promise, so it can wait for the module that `import` loads.
'use strict';

const names = ['discover', 'dialects', 'version', 'list', 'prompt', 'load', 'invoke', 'why', 'match', 'search', 'check', 'matrix', 'tool',
  'call', 'complete', 'replay'];
for (const name of names) {
  exports[name] = async (...given) => (await import('./index.mjs'))[name](...given);
}
