// The bare platform for `assay replay`: node:http, answering from a Map. Usage: bare-map.ts COUNT
import { serveAnswers } from '../bench-server.ts';
import { CHAT_PATH, makeAnswer, makeQuestion } from '../distinct-requests.ts';

const answers = new Map<string, Buffer>();
for (let n = 0; n < Number(process.argv[2]); n += 1) {
  answers.set(`POST ${CHAT_PATH} ${makeQuestion(n)}`, Buffer.from(makeAnswer(n)));
}
serveAnswers(({ method, url }, body) => answers.get(`${method} ${url} ${body}`));
