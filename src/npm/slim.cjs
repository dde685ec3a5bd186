// The slim part of the package for `require`, as in `index.cjs`.
'use strict';

for (const name of ['discover', 'dialects', 'version', 'list', 'prompt', 'load', 'invoke', 'why']) {
  exports[name] = async (...given) => (await import('./slim.mjs'))[name](...given);
}
