// Words for reading JSON whose shape is not known: everything that a target sends.
export { arrayAt, isObject, listElements, numberAt, textAt, valueAtPath } from '../../judge/evidence/json.ts';
export { deepEqual } from '../../judge/schema/json-kinds.ts';
