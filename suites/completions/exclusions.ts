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
    reason: 'How a model begins a document is its own choice.',
  },
  {
    id: 'completions.suffix.effect',
    spec: SPEC,
    says: 'A suffix is what comes after the text that is written.',
    reason: 'Whether a text fits what follows is for its readers to tell.',
  },
  {
    id: 'completions.logit-bias.effect',
    spec: SPEC,
    says: 'A bias is added to the logits of a token; the extremes ban or force it.',
    reason: 'Which token has which number in a model is not shown.',
  },
  {
    id: 'completions.sampling.effect',
    spec: SPEC,
    says: 'Penalties, temperature and top_p change how tokens are drawn.',
    reason: 'A likelihood is not seen in the few texts that a run can pay for.',
  },
  {
    id: 'completions.stream.spelling',
    spec: '2 Events',
    says: 'Each chunk is one line of data.',
    reason:
      'Comments, further lines and packets are the freedom of the wire; the data themselves are judged.',
  },
  {
    id: 'completions.user.abuse',
    spec: SPEC,
    says: 'The user helps to notice abuse.',
    reason: 'What a service does with it is not seen from outside.',
  },
];
