import { eventsWith, inAnswer, inEvents } from '../answers.ts';
import { deafTo, hearing, taking } from '../asking.ts';
import { put } from '../edit.ts';
import type { Fault } from '../fault.ts';

const on = ['createCompletion'];

export const faults: readonly Fault[] = [
  {
    id: 'completions-echo-ignored',
    says: 'the prompt is not echoed',
    requirement: 'completions.text.echo-begins-with-prompt',
    on,
    does: deafTo('echo'),
  },
  {
    id: 'completions-stop-ignored',
    says: 'texts go on after a stop sequence',
    requirement: 'completions.text.stop-left-out',
    on,
    does: deafTo('stop'),
  },
  {
    id: 'completions-n-ignored',
    says: 'a prompt is continued once, whatever n',
    requirement: 'completions.text.choices-as-asked',
    on,
    does: deafTo('n'),
  },
  {
    id: 'completions-prompts-lost',
    says: 'of several prompts only the first is continued',
    requirement: 'completions.text.each-prompt-continued',
    on,
    does: hearing((body) => {
      const first: unknown = Array.isArray(body['prompt']) ? body['prompt'][0] : undefined;
      return typeof first === 'string' ? { ...body, prompt: first } : body;
    }),
  },
  {
    id: 'completions-indexes-same',
    says: 'all choices have the index 0',
    requirement: 'completions.text.indexes-count-up',
    on,
    does: inAnswer((answer) => put(answer, '/choices/*/index', 0)),
  },
  {
    id: 'completions-logprobs-missing',
    says: 'no log probabilities are told when asked for',
    requirement: 'completions.text.logprobs-when-asked',
    on,
    does: deafTo('logprobs'),
  },
  {
    id: 'completions-logprobs-unchecked',
    says: 'more than 5 log probabilities may be asked for',
    requirement: 'createCompletion:body.logprobs#maximum.rejected',
    on,
    does: taking('logprobs', (value) => Number(value) > 5),
  },
  {
    id: 'completions-stream-differs',
    says: 'a stream says something else than the same text in one piece',
    requirement: 'completions.pair.same-text',
    on,
    does: eventsWith('', '/choices/*/text', (text) => String(text).toUpperCase()),
  },
  {
    id: 'completions-done-missing',
    says: 'streams end without [DONE]',
    requirement: 'completions.stream.done-ends-stream',
    on,
    does: inEvents((events) => events.filter(({ data }) => data !== '[DONE]')),
  },
];
