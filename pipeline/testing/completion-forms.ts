import { type CompletionRequest, type Sample, type Sampler, VOCABULARY } from './sampling-model.ts';

interface Form {
  readonly object: string;
  readonly chunk: string;
  createChoice(one: Sample): object;
  createPieces(one: Sample): readonly object[];
  readonly end: object;
}

export function chatForm(sampler: Sampler, { logprobs, top_logprobs: top = 0 }: CompletionRequest): Form {
  const score = (token: string) => ({ token, logprob: -sampler.next(), bytes: [...Buffer.from(token)] });
  const createScores = (tokens: readonly string[]) =>
    logprobs === true
      ? {
          content: tokens.map((token) => ({
            ...score(token),
            top_logprobs: VOCABULARY.slice(0, top).map(score),
          })),
        }
      : null;
  const createCalls = (name: string) => [
    { id: `call_${sampler.next()}`, type: 'function', function: { name, arguments: '{}' } },
  ];
  return {
    object: 'chat.completion',
    chunk: 'chat.completion.chunk',
    createChoice: ({ tokens, call }) => ({
      message: {
        role: 'assistant',
        ...(call === null ? { content: tokens.join('') } : { content: null, tool_calls: createCalls(call) }),
      },
      logprobs: call === null ? createScores(tokens) : null,
    }),
    createPieces: ({ tokens, call }) =>
      call === null
        ? [
            { delta: { role: 'assistant', content: '' }, logprobs: null },
            ...tokens.map((content) => ({ delta: { content }, logprobs: createScores([content]) })),
          ]
        : [
            {
              delta: {
                role: 'assistant',
                tool_calls: createCalls(call).map((one) => ({ index: 0, ...one })),
              },
              logprobs: null,
            },
          ],
    end: { delta: {}, logprobs: null },
  };
}

/** Defect: the values of `top_logprobs` are strings. */
export function textForm(sampler: Sampler, { logprobs }: CompletionRequest): Form {
  const createScores = (tokens: readonly string[]) =>
    typeof logprobs === 'number' && logprobs > 0
      ? {
          tokens,
          token_logprobs: tokens.map(() => -sampler.next()),
          top_logprobs: tokens.map((token) => ({ [token]: `${-sampler.next()}` })),
          text_offset: tokens.map((_, i) => tokens.slice(0, i).join('').length),
        }
      : null;
  const createPiece = (tokens: readonly string[]) => ({
    text: tokens.join(''),
    logprobs: createScores(tokens),
  });
  return {
    object: 'text_completion',
    chunk: 'text_completion',
    createChoice: ({ tokens }) => createPiece(tokens),
    createPieces: ({ tokens }) => tokens.map((token) => createPiece([token])),
    end: { text: '', logprobs: null },
  };
}
