// Functions that read JSON of unknown shape: everything that a target sends.
export {
  arrayAt,
  deepEqual,
  isObject,
  listElements,
  numberAt,
  textAt,
  valueAtPath,
} from '../../judge/trace/json.ts';
