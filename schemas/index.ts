// The specification for the other folders; they import helpers such as `json.ts` directly.
export {
  type Ajv2020,
  type AjvOptions,
  codeOf,
  compileSchema,
  createAjv,
  createBareAjv,
  type ErrorObject,
  MULTIPLE_OF_PRECISION,
  schemaKey,
  schemaValidator,
  standaloneCode,
  type ValidateFunction,
} from './ajv.ts';
export type * from './contract.ts';
export { type Resolved, resolveRef, schema, schemaNames, UnknownSchema } from './load.ts';
export {
  countedFamilies,
  families,
  fulfils,
  matchAlternativePath,
  matchOperation,
  operation,
  operations,
  ownOperations,
  type PathMatch,
  UnknownOperation,
} from './operations.ts';
export {
  decodeSegment,
  encodeSegment,
  fillTemplate,
  matchTemplate,
  type PathTemplate,
  parseTemplate,
  pathParameters,
} from './path-template.ts';
export { patternMatcher } from './patterns.ts';
export {
  extensions,
  perSpecification,
  type SchemaFile,
  type SpecificationExtension,
  useExtensions,
} from './specification.ts';
