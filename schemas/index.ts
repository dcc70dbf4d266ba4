// The contract that the other rooms use; the data beside it is usable without this file.

export {
  type Ajv2020,
  type AjvOptions,
  compile,
  type ErrorObject,
  type KeywordDefinition,
  newAjv,
  schemaKey,
  type ValidateFunction,
  type Violation,
  validator,
} from './ajv.ts';
export type * from './contract.ts';
export {
  type BrokenExample,
  type Examples,
  examples,
  type FileSketch,
  type FileSketches,
} from './examples.ts';
export { type Resolved, resolveRef, schema, schemaNames, UnknownSchema } from './load.ts';
export {
  families,
  matchOperation,
  matchOtherPath,
  operation,
  operations,
  type PathMatch,
  UnknownOperation,
} from './operations.ts';
