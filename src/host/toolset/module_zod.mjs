// The module `zod` of a toolset whose skill brings none. A name that zod has and this has not takes anything.
const { z } = globalThis[Symbol.for('skilltree')];
export { z };
export default z;
export const { string, number, int, boolean, any, unknown, literal, array, object, strictObject, union } = z;
export const { coerce, date, bigint, symbol, never, nan, tuple, record, map, set, lazy, intersection, promise } = z;
export const { discriminatedUnion, preprocess, custom, nativeEnum, email, url, uuid, iso, json, file, transform } = z;
export const { looseObject, stringbool, templateLiteral, keyof, partialRecord, pipe, optional, nullable, nullish } = z;
export const { ZodError, ZodType, ZodTypeAny, ZodSchema, ZodObject, ZodRawShape, toJSONSchema, registry } = z;
const { enum: oneOf, null: nothing, undefined: missing, void: empty, instanceof: made, function: callable } = z;
export { oneOf as enum, nothing as null, missing as undefined, empty as void };
export { made as instanceof, callable as function };
