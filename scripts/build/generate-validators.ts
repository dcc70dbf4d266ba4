// Prints the validators of all schemas and file formats as code, for the bundle: each of `responses`, `requests` and
// `formats` has `names` in the order in which `code` exports their validators.
import { generateFormatValidators } from '../../exchange/cassette/format-validators.ts';
import { bodyInspector } from '../../judge/probe/request-violations.ts';
import { responseInspector } from '../../judge/schema/response-schemas.ts';

const [responses, requests] = [responseInspector(), bodyInspector()].map((inspector) => ({
  names: inspector.names,
  code: inspector.generate(),
}));
process.stdout.write(JSON.stringify({ responses, requests, formats: generateFormatValidators() }));
