// Prints the validators of all trees as code, for the bundle: `{ responses: { names, code }, requests: { names, code } }`.
import { requestInspector } from '../../judge/probe/unlabelled-violations.ts';
import { responseInspector } from '../../judge/schema/carried-schemas.ts';

const [responses, requests] = [responseInspector(), requestInspector()].map((inspector) => ({
  names: inspector.names,
  code: inspector.generate(),
}));
process.stdout.write(JSON.stringify({ responses, requests }));
