// The module `@agent/tools` of a toolset.
const { Tool } = globalThis[Symbol.for('skilltree')];
export { Tool };
export default { Tool };
