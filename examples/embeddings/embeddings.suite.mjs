// Behaviour of POST /v1/embeddings that a schema cannot state.
import {
  arrayAt,
  choice,
  echo,
  LruMap,
  numberAt,
  responses,
  scenario,
  section,
  setIn,
  valueAtPath,
  violation,
  where,
} from 'assay/suite';

const CREATE = 'embeddings.createEmbedding';
/** Minimum cosine of two vectors that count as equal. Rounding makes the vectors of one text differ between batches. */
const MIN_COSINE = 0.999;

const { stated, implied } = section('embeddings Create embeddings');

const created = responses(CREATE);
const batches = where(created, ({ asked }) => Array.isArray(valueAtPath(asked, 'input')));

function textsOf(asked) {
  const input = valueAtPath(asked, 'input');
  return Array.isArray(input) ? input : [input];
}

/** The numbers of an embedding in either form; undefined where it is neither. */
function vectorOf(embedding) {
  if (Array.isArray(embedding)) return embedding;
  if (typeof embedding !== 'string') return undefined;
  const bytes = Buffer.from(embedding, 'base64');
  if (bytes.length % 4 !== 0) return undefined;
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
}

const vectorsOf = (answer) => arrayAt(answer, 'data').map((one) => vectorOf(valueAtPath(one, 'embedding')));

/** The cosine of the angle between two vectors; 0 if their lengths differ, or one has no length. */
function cosine(a = [], b = []) {
  if (a.length !== b.length || a.length === 0) return 0;
  const product = (left, right) => left.reduce((sum, one, i) => sum + one * right[i], 0);
  return product(a, b) / (Math.sqrt(product(a, a) * product(b, b)) || 1);
}

/** Changes the first embedding where it is a list of numbers. */
const inFirstVector = (change) =>
  setIn(CREATE, '/data/0/embedding', (old) => (Array.isArray(old) ? change(old) : old));
const negate = (vector) => vector.map((one) => -one);

export const onePerText = implied('embeddings.create.one-per-text', {
  says: 'The answer has one embedding for each text of the request.',
  selector: created,
  check: ({ asked, answer }) => {
    const textCount = textsOf(asked).length;
    const embeddingCount = arrayAt(answer, 'data').length;
    return textCount === embeddingCount
      ? []
      : [violation('/data', `${textCount} embeddings`, embeddingCount)];
  },
  mutations: { 'the last is missing': setIn(CREATE, '/data', (data) => data.slice(0, -1)) },
});

export const inOrder = stated('embeddings.create.in-order', {
  says: 'The index of each embedding is the place of its text in the request.',
  selector: batches,
  check: ({ answer }) =>
    arrayAt(answer, 'data').flatMap((one, i) =>
      numberAt(one, 'index') === i
        ? []
        : [violation(`/data/${i}/index`, String(i), valueAtPath(one, 'index'))],
    ),
  mutations: {
    'counted from one': setIn(CREATE, '/data/*/index', (index) => index + 1),
    'the other way round': setIn(CREATE, '/data', (data) => data.toReversed()),
  },
});

export const inForm = stated('embeddings.create.in-form', {
  says: 'An embedding has the form that encoding_format asks for, numbers unless it is given.',
  selector: created,
  check: ({ asked, answer }) => {
    const isText = valueAtPath(asked, 'encoding_format') === 'base64';
    const expected = isText ? 'base64 of 32-bit floats' : 'a list of numbers';
    return arrayAt(answer, 'data').flatMap((one, i) => {
      const embedding = valueAtPath(one, 'embedding');
      const fits = isText
        ? typeof embedding === 'string' && vectorOf(embedding) !== undefined
        : Array.isArray(embedding);
      return fits ? [] : [violation(`/data/${i}/embedding`, expected, typeof embedding)];
    });
  },
  mutations: {
    'the other form': setIn(CREATE, '/data/0/embedding', (old) =>
      Array.isArray(old) ? Buffer.from(new Float32Array(old).buffer).toString('base64') : vectorOf(old),
    ),
  },
});

export const dimensions = stated('embeddings.create.dimensions', {
  says: 'An embedding has as many numbers as dimensions asks for.',
  selector: where(created, ({ asked }) => numberAt(asked, 'dimensions') !== undefined),
  check: ({ asked, answer }) => {
    const expected = numberAt(asked, 'dimensions');
    return vectorsOf(answer).flatMap((vector, i) =>
      vector === undefined || vector.length === expected
        ? []
        : [violation(`/data/${i}/embedding`, `${expected} numbers`, vector.length)],
    );
  },
  mutations: { 'one number more': inFirstVector((vector) => [...vector, 0.5]) },
});

export const sameLength = implied('embeddings.create.same-length', {
  says: 'All embeddings of an answer have the same number of dimensions.',
  selector: batches,
  check: ({ answer }) => {
    const [first, ...others] = vectorsOf(answer);
    return others.flatMap((vector, i) =>
      vector?.length === first?.length
        ? []
        : [violation(`/data/${i + 1}/embedding`, `${first?.length} numbers`, vector?.length)],
    );
  },
  mutations: { 'the first is shorter': inFirstVector((vector) => vector.slice(1)) },
});

export const equalTexts = implied('embeddings.create.equal-texts', {
  says: 'Equal texts of one request have embeddings with the same direction.',
  selector: where(batches, ({ asked }) => new Set(textsOf(asked)).size < textsOf(asked).length),
  check: ({ asked, answer }) => {
    const vectors = vectorsOf(answer);
    const firstIndexes = new Map();
    return textsOf(asked).flatMap((text, i) => {
      const other = firstIndexes.get(text);
      if (other === undefined) firstIndexes.set(text, i);
      const similarity = other === undefined ? 1 : cosine(vectors[other], vectors[i]);
      return similarity >= MIN_COSINE
        ? []
        : [violation(`/data/${i}/embedding`, `as /data/${other}/embedding`, similarity)];
    });
  },
  mutations: { 'the first points elsewhere': inFirstVector(negate) },
});

/** Two answers about one text in different forms, whichever came first. */
const bothForms = {
  operations: [CREATE],
  variant: null,
  collect: () => {
    const seen = new LruMap();
    return {
      call(call) {
        const { requestJson: asked, responseJson: answer, exchange } = call;
        const text = valueAtPath(asked, 'input');
        if (answer === undefined || typeof text !== 'string') return [];
        const { encoding_format: form = 'float', user: _, ...rest } = asked;
        const key = JSON.stringify(rest);
        const before = seen.get(key);
        seen.set(key, { form, answer, exchange });
        if (before === undefined || before.form === form) return [];
        return [{ exchanges: [before.exchange, exchange], before: before.answer, after: answer }];
      },
    };
  },
};

export const formsAgree = implied('embeddings.create.forms-agree', {
  says: 'The embedding of a text is the same in both forms.',
  selector: bothForms,
  check: ({ before, after }) => {
    const similarity = cosine(vectorsOf(before)[0], vectorsOf(after)[0]);
    return similarity >= MIN_COSINE
      ? []
      : [violation('/data/0/embedding', 'the embedding in the other form', similarity)];
  },
  mutations: { 'the numbers point elsewhere': inFirstVector(negate) },
});

export const totalUsage = implied('embeddings.create.total-usage', {
  says: 'The total number of tokens is at least that of the prompt.',
  selector: created,
  check: ({ answer }) => {
    const [prompt, total] = [
      numberAt(answer, 'usage', 'prompt_tokens'),
      numberAt(answer, 'usage', 'total_tokens'),
    ];
    return prompt === undefined || total === undefined || total >= prompt
      ? []
      : [violation('/usage/total_tokens', `${prompt} or more`, total)];
  },
  mutations: {
    'nothing in total': setIn(CREATE, '/usage', (usage) => ({ ...usage, prompt_tokens: 9, total_tokens: 0 })),
  },
});

export const norm = choice({
  id: 'embeddings.create.norm',
  spec: 'embeddings Create embeddings',
  says: 'Whether embeddings have the length one.',
  alternatives: ['length one', 'another length'],
  several: true,
  selector: created,
  taken: ({ answer }) => {
    const [vector] = vectorsOf(answer);
    if (vector === undefined) return null;
    return Math.abs(Math.hypot(...vector) - 1) < 0.01 ? 'length one' : 'another length';
  },
  examples: { 'another length': inFirstVector((vector) => vector.map((one) => 3 * one)) },
});

export const modelEcho = choice({
  id: 'embeddings.create.model-name',
  spec: 'embeddings Create embeddings',
  says: 'Whether the answer names the model as the request does.',
  alternatives: ['as requested', 'another name'],
  selector: created,
  taken: echo('model', 'as requested', 'another name'),
  examples: { 'another name': setIn(CREATE, '/model', 'text-embedding-tiny-2') },
});

export const batch = scenario({
  name: 'embeddings.batch',
  family: 'embeddings',
  operations: [CREATE],
  cost: ['tokens'],
  roles: ['embeddings.model'],
  run: async (context) => {
    const model = context.model('embeddings.model');
    const input = ['The cat sat on the mat.', 'A train leaves at noon.', 'The cat sat on the mat.'];
    await context.call(CREATE, { body: { model, input } });
    await context.call(CREATE, { body: { model, input, encoding_format: 'base64' } });
    await context.call(CREATE, { body: { model, input, dimensions: 8 } });
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
    await context.call(CREATE, { body: { ...body, encoding_format: 'base64', dimensions: 4 } });
  },
});
