// In: what a toolset says with `z`, where its skill has no zod of its own. Out: schemas that check, and that are told
// as JSON schema. Of zod: string, number, boolean, enum, literal, null, any, unknown, array, object, union, and on
// these array, optional, nullable, nullish, default, describe, or, min, max, int, strict, parse, safeParse. What else
// zod has takes anything at its place, or does nothing where it is a check more, and is named beside the schema.

const nameless = (name) => typeof name === 'symbol' || name === 'then' || name === 'toJSON';

/** What is not supported, under the name that it was called by: a function, and whatever is below it. */
const unsupported = (what) =>
  new Proxy(function () {}, {
    get: (target, name) => (name in target || nameless(name) ? target[name] : unsupported(`${what}.${name}`)),
    apply: () => anything(`${what}()`),
    construct: () => anything(`${what}()`),
  });

const anything = (instead) => schema({ kind: 'any', instead });

/** The methods after which an object takes the same fields. */
const SAME = ['refine', 'superRefine', 'check', 'overwrite', 'transform', 'pipe', 'brand', 'readonly', 'meta', 'strip'];
/** The methods after which something else is taken. */
const OTHER = ['catch', 'prefault', 'unwrap', 'exclude', 'extract', 'nonoptional'];

/** A schema. A method that it does not have does nothing, or makes one that takes anything. */
const schema = (def) =>
  new Proxy(new Schema(def), {
    get(target, name) {
      if (name in target || nameless(name)) return target[name];
      const isSame = def.kind === 'object' ? SAME.includes(name) : !OTHER.includes(name);
      if (!isSame) return () => anything(`.${name}()`);
      return () => target.with({ ignored: [...(def.ignored ?? []), `.${name}()`] });
    },
  });

class SchemaError extends Error {
  constructor(issues) {
    super(issues.map(told).join('; '));
    this.name = 'ZodError';
    this.issues = this.errors = issues;
  }
}

class Schema {
  constructor(def) {
    this.def = def;
    if (def.kind === 'object') this.shape = def.fields;
    if (def.kind === 'array') this.element = def.items;
    if (def.kind === 'enum') this.options = def.values;
  }
  get description() {
    return this.def.description;
  }
  with(more) {
    return schema({ ...this.def, ...more });
  }
  optional() {
    return this.with({ optional: true });
  }
  nullable() {
    return this.with({ nullable: true });
  }
  nullish() {
    return this.with({ optional: true, nullable: true });
  }
  default(value) {
    return this.with({ default: typeof value === 'function' ? value : () => value });
  }
  array() {
    return schema({ kind: 'array', items: this });
  }
  describe(description) {
    return this.with({ description });
  }
  or(other) {
    return schema({ kind: 'union', options: [this, other] });
  }
  min(min) {
    return this.with({ min });
  }
  max(max) {
    return this.with({ max });
  }
  int() {
    return this.with({ int: true });
  }
  strict() {
    return this.with({ strict: true });
  }
  safeParse(value) {
    const issues = [];
    const data = check(this.def, value, [], issues);
    return issues.length === 0 ? { success: true, data } : { success: false, error: new SchemaError(issues) };
  }
  parse(value) {
    const parsed = this.safeParse(value);
    if (!parsed.success) throw parsed.error;
    return parsed.data;
  }
}

const typeOf = (value) => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : typeof value;
};

/** `a.b[0]: message`. */
const told = ({ path = [], message }) => {
  const at = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return at === '' ? message : `${at.replace(/^\./, '')}: ${message}`;
};

/** The value with its defaults; what is wrong with it goes to `issues`. */
const check = (def, value, path, issues) => {
  const wrong = (message) => void issues.push({ code: 'custom', path, message });
  if (value === undefined) {
    if (def.default) return def.default();
    if (def.optional || def.instead) return undefined;
    return wrong(`expected ${named(def)}, got nothing`);
  }
  if (value === null && def.nullable) return null;
  const sized = (size, what) => {
    if (def.min !== undefined && size < def.min) wrong(`expected at least ${def.min}${what}, got ${size}`);
    if (def.max !== undefined && size > def.max) wrong(`expected at most ${def.max}${what}, got ${size}`);
    return value;
  };
  const unlike = () => wrong(`expected ${named(def)}, got ${typeOf(value)}`);
  switch (def.kind) {
    case 'any':
      return value;
    case 'string':
      return typeof value === 'string' ? sized([...value].length, ' characters') : unlike();
    case 'number':
      if (typeOf(value) !== 'number') return unlike();
      return def.int && !Number.isInteger(value) ? wrong(`expected integer, got ${value}`) : sized(value, '');
    case 'boolean':
      return typeof value === 'boolean' ? value : unlike();
    case 'enum':
      if (def.values.includes(value)) return value;
      return wrong(`expected ${named(def)}, got ${JSON.stringify(value)}`);
    case 'array':
      if (!Array.isArray(value)) return unlike();
      sized(value.length, ' items');
      return value.map((item, n) => check(def.items.def, item, [...path, n], issues));
    case 'object': {
      if (typeOf(value) !== 'object') return unlike();
      const out = {};
      for (const [name, field] of Object.entries(def.fields)) {
        const given = Object.hasOwn(value, name) ? value[name] : undefined;
        const checked = check(field.def, given, [...path, name], issues);
        if (checked !== undefined) Object.defineProperty(out, name, plain(checked));
      }
      const more = Object.keys(value).filter((name) => !Object.hasOwn(def.fields, name));
      const odd = more.map((name) => JSON.stringify(name)).join(', ');
      if (def.strict && odd !== '') wrong(`expected no field ${odd}`);
      return out;
    }
    case 'union': {
      for (const option of def.options) {
        const tried = [];
        const checked = check(option.def, value, path, tried);
        if (tried.length === 0) return checked;
      }
      return unlike();
    }
  }
};

/** A field of any name, `__proto__` too. */
const plain = (value) => ({ value, enumerable: true, configurable: true, writable: true });

const named = (def) => {
  if (def.kind === 'enum') return def.values.map((value) => JSON.stringify(value)).join(' or ');
  if (def.kind === 'union') return def.options.map((option) => named(option.def)).join(' or ');
  if (def.kind === 'any') return 'anything';
  return def.kind === 'number' && def.int ? 'integer' : def.kind;
};

/** JSON schema; what is not supported is told to `note`, with its place. */
const described = (def, path, note) => {
  const at = (what) => told({ path, message: what });
  if (def.instead) note(at(def.instead), 'takes anything');
  for (const what of def.ignored ?? []) note(at(what), 'does nothing');
  let out = shaped(def, path, note);
  if (def.nullable) out = { anyOf: [out, { type: 'null' }] };
  if (def.default) out.default = def.default();
  if (def.description !== undefined) out.description = String(def.description);
  return out;
};

const shaped = (def, path, note) => {
  const sizes = (least, most) => ({
    ...(def.min === undefined ? {} : { [least]: def.min }),
    ...(def.max === undefined ? {} : { [most]: def.max }),
  });
  switch (def.kind) {
    case 'any':
      return {};
    case 'string':
      return { type: 'string', ...sizes('minLength', 'maxLength') };
    case 'number':
      return { type: def.int ? 'integer' : 'number', ...sizes('minimum', 'maximum') };
    case 'enum': {
      const types = [...new Set(def.values.map(typeOf))];
      return { ...(types.length === 1 ? { type: types[0] } : {}), enum: def.values };
    }
    case 'array': {
      const items = described(def.items.def, [...path, 'items'], note);
      return { type: 'array', items, ...sizes('minItems', 'maxItems') };
    }
    case 'object': {
      const properties = {};
      const fields = Object.entries(def.fields);
      for (const [name, field] of fields) {
        Object.defineProperty(properties, name, plain(described(field.def, [...path, name], note)));
      }
      const isNeeded = ([, { def }]) => !def.optional && !def.default && !def.instead;
      const required = fields.filter(isNeeded).map(([name]) => name);
      const needed = required.length > 0 ? { required } : {};
      return { type: 'object', properties, ...needed, ...(def.strict ? { additionalProperties: false } : {}) };
    }
    case 'union':
      return { anyOf: def.options.map((option) => described(option.def, path, note)) };
    default:
      return { type: def.kind };
  }
};

const makers = {
  string: () => schema({ kind: 'string' }),
  number: () => schema({ kind: 'number' }),
  int: () => schema({ kind: 'number', int: true }),
  boolean: () => schema({ kind: 'boolean' }),
  any: () => schema({ kind: 'any' }),
  unknown: () => schema({ kind: 'any' }),
  null: () => schema({ kind: 'enum', values: [null] }),
  enum: (values) => schema({ kind: 'enum', values: Array.isArray(values) ? values : Object.values(values) }),
  literal: (value) => schema({ kind: 'enum', values: Array.isArray(value) ? value : [value] }),
  array: (items) => schema({ kind: 'array', items }),
  object: (fields = {}) => schema({ kind: 'object', fields }),
  strictObject: (fields = {}) => schema({ kind: 'object', fields, strict: true }),
  union: (options) => schema({ kind: 'union', options }),
  ZodError: SchemaError,
};

const z = new Proxy(makers, {
  get: (target, name) => (Object.hasOwn(target, name) || nameless(name) ? target[name] : unsupported(`z.${name}`)),
});

/** The schema of zod 3, which tells none itself. */
const older = (schema, path, note) => {
  const { _def: def } = schema;
  const inner = () => older(def.innerType, path, note);
  const bound = (name, as) => {
    const check = def.checks?.find(({ kind }) => kind === name);
    return check ? { [as]: check.value } : {};
  };
  const shape = () => {
    switch (def.typeName) {
      case 'ZodString':
        return { type: 'string', ...bound('min', 'minLength'), ...bound('max', 'maxLength') };
      case 'ZodNumber': {
        const type = def.checks?.some(({ kind }) => kind === 'int') ? 'integer' : 'number';
        return { type, ...bound('min', 'minimum'), ...bound('max', 'maximum') };
      }
      case 'ZodBoolean':
        return { type: 'boolean' };
      case 'ZodEnum':
        return { type: 'string', enum: def.values };
      case 'ZodLiteral':
        return { const: def.value };
      case 'ZodArray':
        return { type: 'array', items: older(def.type, `${path}[]`, note) };
      case 'ZodUnion':
        return { anyOf: def.options.map((option) => older(option, path, note)) };
      case 'ZodNullable':
        return { anyOf: [inner(), { type: 'null' }] };
      case 'ZodOptional':
        return inner();
      case 'ZodDefault':
        return { ...inner(), default: def.defaultValue() };
      case 'ZodObject': {
        const fields = Object.entries(def.shape());
        const told = ([name, field]) => [name, older(field, `${path}.${name}`, note)];
        const properties = Object.fromEntries(fields.map(told));
        const required = fields.filter(([, field]) => !field.isOptional()).map(([name]) => name);
        const needed = required.length > 0 ? { required } : {};
        const more = def.unknownKeys === 'strict' ? { additionalProperties: false } : {};
        return { type: 'object', properties, ...needed, ...more };
      }
      case 'ZodAny':
      case 'ZodUnknown':
        return {};
      default: {
        const at = path === '' ? '' : ` at \`${path.replace(/^\./, '')}\``;
        note(`\`${def.typeName}\`${at} has no JSON schema here, so it is described as any value`);
        return {};
      }
    }
  };
  return { ...shape(), ...(schema.description ? { description: schema.description } : {}) };
};
