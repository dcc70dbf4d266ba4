// A service that answers each question of `distinct-requests.ts`, in constant memory. Usage: distinct-upstream.ts
import { serveAnswers } from '../bench-server.ts';
import { makeAnswer } from '../distinct-requests.ts';

serveAnswers((_, body) => Buffer.from(makeAnswer(Number(/question (\d+)\./.exec(body)?.[1]))));
