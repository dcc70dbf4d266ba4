// Behaviour that any service of POST /v1/embeddings shares with the example, which also judges the limits of its own server.
import { arrayAt, choice, numberAt, responses, scenario, setIn, where } from 'assay/suite';

export {
  equalTexts,
  formsAgree,
  inForm,
  inOrder,
  modelEcho,
  norm,
  onePerText,
  sameLength,
  totalUsage,
} from '../../../examples/embeddings/embeddings.suite.mjs';

const CREATE = 'embeddings.createEmbedding';
const INPUT = ['The cat sat on the mat.', 'A train leaves at noon.', 'The cat sat on the mat.'];

/** Some models have only one size; their services ignore the field, or refuse it. */
export const dimensions = choice({
  id: 'embeddings.create.dimensions',
  spec: 'embeddings Create embeddings',
  says: 'Whether an embedding has as many numbers as dimensions asks for.',
  alternatives: ['as asked', 'another number'],
  selector: where(responses(CREATE), ({ asked }) => numberAt(asked, 'dimensions') !== undefined),
  taken: ({ asked, answer }) => {
    const [vector] = arrayAt(answer, 'data').map(({ embedding }) => embedding);
    if (!Array.isArray(vector)) return null;
    return vector.length === numberAt(asked, 'dimensions') ? 'as asked' : 'another number';
  },
  examples: {
    'another number': setIn(CREATE, '/data/*/embedding', (old) => (Array.isArray(old) ? [...old, 0.5] : old)),
  },
});

export const batch = scenario({
  name: 'embeddings.batch',
  family: 'embeddings',
  operations: [CREATE],
  cost: ['tokens'],
  roles: ['embeddings.model'],
  run: async (context) => {
    const model = context.model('embeddings.model');
    await context.call(CREATE, { body: { model, input: INPUT } });
    await context.call(CREATE, { body: { model, input: INPUT, encoding_format: 'base64' } });
    await context.call(CREATE, { body: { model, input: INPUT, dimensions: 8 } });
  },
});

export const forms = scenario({
  name: 'embeddings.forms',
  family: 'embeddings',
  operations: [CREATE],
  cost: ['tokens'],
  roles: ['embeddings.model'],
  run: async (context) => {
    const body = { model: context.model('embeddings.model'), input: 'Both forms of one text.' };
    await context.call(CREATE, { body: { ...body, encoding_format: 'float' } });
    await context.call(CREATE, { body: { ...body, encoding_format: 'base64' } });
  },
});
