// A service that answers each question of `distinct.ts`, in constant memory. Usage: distinct-upstream.ts
import { announceAnswers } from '../announce.ts';
import { answer } from '../distinct.ts';

announceAnswers((_, body) => Buffer.from(answer(Number(/question (\d+)\./.exec(body)?.[1]))));
