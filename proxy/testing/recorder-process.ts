// A recorder as a process of its own, to be killed: `recorder-process BASE-URL CASSETTE`; prints its URL.
import { record } from '../record.ts';

const [baseUrl = '', cassette = ''] = process.argv.slice(2);
const { url } = await record({ baseUrl, cassette });
process.stdout.write(`${url}\n`);
