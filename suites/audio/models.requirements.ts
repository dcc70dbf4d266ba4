import { acceptInvalidProbes } from '../generate/rule-probes.ts';
import { mustReject, probeResults, that, where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import { ONLY_MODEL } from './samples.ts';

/** One model is offered for each of these operations, so a model name that does not exist is rejected. */
export const onlyModel = (['createTranscription', 'createTranslation'] as const).map((operation) => {
  const noun = operation === 'createTranscription' ? 'transcription' : 'translation';
  return section('2 Audio').implied(`audio.${noun}.only-model`, {
    says: `A ${noun} by a model that does not exist is rejected.`,
    selector: where(
      probeResults(operation, ONLY_MODEL),
      that('that is invalid', ({ side }) => side === 'violation'),
    ),
    check: mustReject,
    mutations: {
      accepted: acceptInvalidProbes(ONLY_MODEL),
      'accepted like a valid request': acceptInvalidProbes(ONLY_MODEL, 'as valid'),
    },
  });
});
