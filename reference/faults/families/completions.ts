import { setAtPointer } from '../edit.ts';
import type { Fault } from '../fault.ts';
import { acceptAnyValue, ignoreField, replaceBody } from '../requests.ts';
import { changeEvents, changeResponse, setInEvents } from '../responses.ts';

const on = ['createCompletion'];

export const faults: readonly Fault[] = [
  {
    id: 'completions-echo-ignored',
    says: 'the prompt is not echoed',
    requirement: 'completions.text.echo-begins-with-prompt',
    on,
    does: ignoreField('echo'),
  },
  {
    id: 'completions-stop-ignored',
    says: 'texts go on after a stop sequence',
    requirement: 'completions.text.stop-left-out',
    on,
    does: ignoreField('stop'),
  },
  {
    id: 'completions-n-ignored',
    says: 'a prompt is continued once, whatever n',
    requirement: 'completions.text.choices-as-asked',
    on,
    does: ignoreField('n'),
  },
  {
    id: 'completions-prompts-lost',
    says: 'of several prompts only the first is continued',
    requirement: 'completions.text.each-prompt-continued',
    on,
    does: replaceBody((body) => {
      const first: unknown = Array.isArray(body['prompt']) ? body['prompt'][0] : undefined;
      return typeof first === 'string' ? { ...body, prompt: first } : body;
    }),
  },
  {
    id: 'completions-indexes-same',
    says: 'all choices have the index 0',
    requirement: 'completions.text.indexes-count-up',
    on,
    does: changeResponse((answer) => setAtPointer(answer, '/choices/*/index', 0)),
  },
  {
    id: 'completions-logprobs-missing',
    says: 'no log probabilities are told when asked for',
    requirement: 'completions.text.logprobs-when-asked',
    on,
    does: ignoreField('logprobs'),
  },
  {
    id: 'completions-logprobs-unchecked',
    says: 'more than 5 log probabilities may be asked for',
    requirement: 'createCompletion:body.logprobs#maximum.rejected',
    on,
    does: acceptAnyValue('logprobs', (value) => Number(value) > 5),
  },
  {
    id: 'completions-stream-differs',
    says: 'a stream says something else than the same text in one piece',
    requirement: 'completions.pair.same-text',
    on,
    does: setInEvents('', '/choices/*/text', (text) => String(text).toUpperCase()),
  },
  {
    id: 'completions-done-missing',
    says: 'streams end without [DONE]',
    requirement: 'completions.stream.done-ends-stream',
    on,
    does: changeEvents((events) => events.filter(({ data }) => data !== '[DONE]')),
  },
];
