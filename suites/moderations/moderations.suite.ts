import { scenario } from '../../drive/scenario/scenario.ts';
import { MODERATION_MODELS } from './models.ts';

const operations = ['createModeration'];

/** One text, several, and one that every model classifies as harmful. */
export const moderationsTextsScenario = scenario({
  name: 'moderations.texts',
  operations,
  run: async (context) => {
    for (const input of ['assay', ['assay'], ['one', 'two', 'three'], 'I will kill you, you idiot.'])
      await context.call('createModeration', { body: { input } });
  },
});

/** A harmless and a harmful text, each alone and then both in either order. */
export const moderationsOrderScenario = scenario({
  name: 'moderations.order',
  operations,
  run: async (context) => {
    const [harmless, harmful] = [
      'The apples are ripe.',
      'I will kill them all, and murder everyone who stops me.',
    ];
    const inputs = [harmless, harmful, [harmless, harmful], [harmful, harmless], harmful];
    for (const input of inputs) await context.call('createModeration', { body: { input } });
  },
});

/** Each name of the specification, then a request without a model: the default is one of them. */
export const moderationsNamesScenario = scenario({
  name: 'moderations.names',
  operations,
  run: async (context) => {
    const input = 'The word is assay.';
    for (const model of MODERATION_MODELS) await context.call('createModeration', { body: { input, model } });
    await context.call('createModeration', { body: { input } });
  },
});

/** Arrays with elements that are not strings. */
export const moderationsElementsScenario = scenario({
  name: 'moderations.elements',
  operations,
  run: async (context) => {
    for (const input of [[[1212, 318, 257, 1332]], [{ type: 'text', text: 'assay' }], []])
      await context.call('createModeration', { body: { input } });
  },
});
