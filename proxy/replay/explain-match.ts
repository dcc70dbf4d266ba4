import { type Cassette, openCassette } from '../../exchange/cassette/cassette.ts';
import type { HttpRequest } from '../../exchange/exchange.ts';
import { matchKey } from '../../exchange/matching/request-key.ts';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import { missText } from './miss-text.ts';
import { type MatchOptions, Recordings } from './recordings.ts';
import { redactRequest } from './redaction.ts';
import { explainMiss } from './replay-miss.ts';

/** The text of `assay replay --why`. Rejects with CassetteError if a cassette cannot be read. */
export async function explainMatch(
  paths: readonly string[],
  raw: HttpRequest,
  options: MatchOptions = {},
): Promise<string> {
  const cassettes: Cassette[] = [];
  try {
    for (const path of paths) cassettes.push(await openCassette(path));
    // `repeatLast` has no effect on a first request, and with it the loop that counts recordings would never end.
    const recordings = new Recordings(cassettes, { ...options, repeatLast: false });
    const request = redactRequest(raw, new Redactor({ environment: process.env, ...recordings.redaction }));
    const form = recordings.canonical(request);
    const match = recordings.take(request);
    const formText = `      key       ${matchKey(form)}\n      seen as   ${JSON.stringify(form)}`;
    if (match.kind !== 'hit')
      return `${missText(explainMiss(request, match, recordings, options))}\n${formText}`;
    const { cassette, k } = match.location;
    let count = 1;
    while (recordings.take(request).kind === 'hit') count += 1;
    const { method, target } = cassette.request(k);
    const repeats =
      count === 1 ? 'the only recording of it' : `the first of ${count} recordings of it, used in this order`;
    return [
      `Answered by  e${k + 1}  ${method} ${target}`,
      `      cassette  ${cassette.dir}`,
      `      because   it is ${repeats}`,
      formText,
    ].join('\n');
  } finally {
    for (const cassette of cassettes) cassette.close();
  }
}
