import type { Exclusion } from '../judge/requirements/requirement.ts';

/** Sentences about the service as a whole that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'service.keys.project-scope',
    spec: '1 Authentication',
    says: 'Keys of a project are the recommended kind.',
    reason: 'It is advice to people who create keys; no response shows the kind of a key.',
  },
  {
    id: 'service.keys.project-of-legacy-key',
    spec: '1 Authentication',
    says: 'A legacy key that is used with several projects needs the id of the project.',
    reason: 'The header or parameter that carries the id is not shown.',
  },
  {
    id: 'service.keys.scheme',
    spec: '1 Authentication',
    says: 'The key of a request comes as a bearer token.',
    reason:
      'It is a duty of callers, and every request of a run keeps it; that a key in another form is refused is not said.',
  },
  {
    id: 'service.lists.of-organization',
    spec: '1 Authentication',
    says: 'Lists of files, fine-tuning jobs and batches hold those of the organization of the caller.',
    reason: 'A run has the keys of one organization; what others have is not seen by it.',
  },
  {
    id: 'service.requests.json',
    spec: '1 What the service does',
    says: 'Bodies of requests are JSON and labelled so, unless something else is said.',
    reason:
      'It is a duty of callers, and every request of a run keeps it; that others are refused is not said.',
  },
  {
    id: 'service.versioning.prefix',
    spec: '1 Versioning',
    says: 'All paths begin with /v1.',
    reason: 'Every request of a run goes to such a path; what other paths do is not said.',
  },
  {
    id: 'service.rate-limits',
    spec: '1 Limits',
    says: 'There are rate limits.',
    reason: 'Their values are not shown.',
  },
  {
    id: 'service.errors.shape',
    spec: '1 Errors',
    says: 'Failed requests are answered with a status, a body and an error code.',
    reason: 'Which ones is not shown, so any 4xx that fits the case is as good as another.',
  },
  {
    id: 'service.versioning.notice',
    spec: '1 Versioning',
    says: 'Everything labelled beta changes without notice, and the legacy form is retired some day.',
    reason: 'It speaks of the future, and no date is shown.',
  },
  {
    id: 'service.callbacks',
    spec: '1 Events',
    says: 'Events are delivered by no other way than the stream of a run.',
    reason: 'Webhooks are not shown; their absence is not seen from outside.',
  },
  {
    id: 'service.states.none',
    spec: '2 States and transitions',
    says: 'Objects of chat, completions, models, images, audio and moderation have no state.',
    reason: 'Fields that are not listed are allowed everywhere, so their absence is not demanded.',
  },
  {
    id: 'service.times.clock',
    spec: '1 Common shapes',
    says: 'The time of a creation is that of the clock when it happened.',
    reason:
      'Verdicts depend on no clock, so that a trace is judged alike at any time; the unit of times and their order in lists are judged.',
  },
  {
    id: 'lists.envelope.no-id',
    spec: '1 Common shapes',
    says: 'The envelope of a list has no id.',
    reason: 'Fields that are not listed are allowed everywhere, so their absence is not demanded.',
  },
];
