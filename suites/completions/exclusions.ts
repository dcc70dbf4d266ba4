import type { Exclusion } from '../../judge/requirements/requirement.ts';

const SPEC = '2 Text completions';

/** Sentences about text completions that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'completions.context-length',
    spec: SPEC,
    says: 'The tokens of the prompt and max_tokens together fit the context of the model.',
    reason: 'The context length of a model is not shown.',
  },
  {
    id: 'completions.best-of.best',
    spec: SPEC,
    says: 'Of best_of texts the best are returned.',
    reason: 'The others are not shown.',
  },
  {
    id: 'completions.prompt.new-document',
    spec: SPEC,
    says: 'Without a prompt a text begins as a new document does.',
    reason: 'The beginning of a document is the choice of the model.',
  },
  {
    id: 'completions.suffix.effect',
    spec: SPEC,
    says: 'A suffix is the text that follows the generated one.',
    reason: 'Whether a text fits the suffix is for its readers to judge.',
  },
  {
    id: 'completions.logit-bias.effect',
    spec: SPEC,
    says: 'A bias is added to the logits of a token: a small one nudges, and -100 bans it.',
    reason:
      'Which token has which number in a model is not shown, so it is not seen that one is missing or rarer.',
  },
  {
    id: 'completions.sampling.effect',
    spec: SPEC,
    says: 'Penalties, temperature and top_p change how tokens are drawn.',
    reason: 'A likelihood does not show in the few texts that a run can pay for.',
  },
  {
    id: 'completions.stream.spelling',
    spec: '2 Events',
    says: 'Each chunk is one line of data.',
    reason:
      'Comments, further lines and the division into packets are freedoms of SSE; the data themselves are judged.',
  },
  {
    id: 'completions.user.abuse',
    spec: SPEC,
    says: 'The user helps to notice abuse.',
    reason: 'Use of this field inside a service is not visible in a response.',
  },
];
