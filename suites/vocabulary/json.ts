// Words for reading JSON whose shape is not known: everything that a target sends.
export {
  arrayAt,
  deepEqual,
  isObject,
  listElements,
  numberAt,
  textAt,
  valueAtPath,
} from '../../judge/trace/json.ts';
