import { only } from '../../judge/selectors/answers.ts';
import { mustReject, trials } from '../../judge/selectors/trials.ts';
import { requirement } from '../../judge/write.ts';
import { acceptTrials } from '../generate/trials.ts';
import { ONLY_MODEL } from './samples.ts';

/** One model is offered for each of these, so a name that nobody has is refused. */
export const onlyModel = (['createTranscription', 'createTranslation'] as const).map((operation) => {
  const noun = operation === 'createTranscription' ? 'transcription' : 'translation';
  return requirement({
    id: `audio.${noun}.only-model`,
    level: 'MUST',
    basis: 'implied',
    spec: '2 Audio',
    says: `A ${noun} by a model that is not there is refused.`,
    on: only(trials(operation, ONLY_MODEL), ({ side }) => side === 'violation'),
    check: mustReject,
    breaks: {
      accepted: acceptTrials(ONLY_MODEL),
      'accepted as what is valid': acceptTrials(ONLY_MODEL, 'as valid'),
    },
  });
});
