// The bare platform for `assay replay`: node:http, answering from a Map. Usage: bare-map.ts COUNT
import { announceAnswers } from '../announce.ts';
import { answer, PATH, question } from '../distinct.ts';

const answers = new Map<string, Buffer>();
for (let n = 0; n < Number(process.argv[2]); n += 1) {
  answers.set(`POST ${PATH} ${question(n)}`, Buffer.from(answer(n)));
}
announceAnswers(({ method, url }, body) => answers.get(`${method} ${url} ${body}`));
