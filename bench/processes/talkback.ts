// talkback as a peer of `assay replay`. Usage: talkback.ts FOLDER COUNT: writes COUNT tapes there, and serves them.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { findFreePort } from '../../proxy/testing/free-port.ts';
import { CHAT_PATH, makeAnswer, makeQuestion } from '../distinct-requests.ts';

/** The types of talkback describe an ES module, but the package is CommonJS. */
const talkback: typeof import('talkback').default = createRequire(import.meta.url)('talkback');

const [path = '', count = ''] = process.argv.slice(2);
const type = 'application/json';
for (let n = 0; n < Number(count); n += 1) {
  const tape = {
    meta: {
      createdAt: '2026-11-20T12:00:00.000Z',
      host: 'http://127.0.0.1:1',
      reqHumanReadable: true,
      resHumanReadable: true,
    },
    req: {
      url: CHAT_PATH,
      method: 'POST',
      headers: { 'content-type': type },
      body: JSON.parse(makeQuestion(n)),
    },
    res: {
      status: 200,
      headers: { 'content-type': [type], 'content-length': [`${makeAnswer(n).length}`] },
      body: JSON.parse(makeAnswer(n)),
    },
  };
  writeFileSync(join(path, `${n}.json5`), JSON.stringify(tape));
}
const port = await findFreePort();
const server = talkback({
  host: 'http://127.0.0.1:1',
  port,
  path,
  record: talkback.Options.RecordMode.DISABLED,
  fallbackMode: talkback.Options.FallbackMode.NOT_FOUND,
  allowHeaders: ['content-type'],
  silent: true,
  summary: false,
});
server.start(() => console.log(`http://127.0.0.1:${port}`));
process.on('SIGTERM', () => process.exit());
