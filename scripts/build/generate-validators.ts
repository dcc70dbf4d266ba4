// Prints the validators of all trees and formats as code, for the bundle: `{ responses: { names, code }, requests, formats }`.
// The names are those of the trees, in the order of the exports of the code.
import { formatValidators } from '../../exchange/cassette/line-shape.ts';
import { bodyInspector } from '../../judge/probe/constraints.ts';
import { responseInspector } from '../../judge/schema/carried-schemas.ts';

const [responses, requests] = [responseInspector(), bodyInspector()].map((inspector) => ({
  names: inspector.names,
  code: inspector.generate(),
}));
process.stdout.write(JSON.stringify({ responses, requests, formats: formatValidators() }));
