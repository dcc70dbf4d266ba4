// `tsx scripts/clients/run-session.ts NAME`: one session of a real client, with the service of OPENAI_BASE_URL.
import { CLIENTS } from './clients.ts';

const name = process.argv[2] ?? '';
const { ASSAY_BASE_URL: baseUrl } = process.env;
const client = CLIENTS.find((one) => one.name === name);
if (client === undefined || baseUrl === undefined)
  throw new Error(`It takes the name of a client, one of ${CLIENTS.map((one) => one.name).join(', ')}.`);
await (await client.session())(baseUrl);
