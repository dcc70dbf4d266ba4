// Prints the validators of all trees and formats as code, for the bundle: `{ responses: { names, code }, requests, formats }`.
// `names` lists the trees in the order in which `code` exports their validators.
import { formatValidators } from '../../exchange/cassette/line-shape.ts';
import { bodyInspector } from '../../judge/probe/request-violations.ts';
import { responseInspector } from '../../judge/schema/carried-schemas.ts';

const [responses, requests] = [responseInspector(), bodyInspector()].map((inspector) => ({
  names: inspector.names,
  code: inspector.generate(),
}));
process.stdout.write(JSON.stringify({ responses, requests, formats: formatValidators() }));
