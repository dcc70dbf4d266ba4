// A recorder in a separate process, to be killed or measured: `recorder-process BASE-URL CASSETTE`; prints its URL.
// On SIGTERM it ends cleanly and prints its report.
import { startRecorder } from '../record/record.ts';

const [baseUrl = '', cassette = ''] = process.argv.slice(2);
const { url, close } = await startRecorder({ baseUrl, cassette });
process.stdout.write(`${url}\n`);
process.on('SIGTERM', async () => {
  process.stdout.write(`${JSON.stringify(await close())}\n`, () => process.exit());
});
