import {
  changeContent,
  continueInState,
  ignoreField,
  setInResponse,
  storeUnderOtherPurpose,
} from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { listFaults } from '../lists.ts';

export const faults: readonly Fault[] = [
  {
    id: 'batches-custom-id-lost',
    says: 'the custom_id of results differs from that of their requests',
    requirement: 'batches.results.each-request-once',
    on: ['retrieveFileContent'],
    does: changeContent((bytes) =>
      Buffer.from(
        bytes
          .toString('latin1')
          .replaceAll(/"custom_id":"[^"]*","response"/g, '"custom_id":"lost","response"'),
        'latin1',
      ),
    ),
  },
  {
    id: 'batches-results-swapped',
    says: 'the results of a batch have the custom_id of each other',
    requirement: 'batches.results.of-request',
    on: ['retrieveFileContent'],
    does: changeContent((bytes) =>
      Buffer.from(
        bytes
          .toString('latin1')
          .replaceAll(
            /"custom_id":"(first|second)","response"/g,
            (_, id) => `"custom_id":"${id === 'first' ? 'second' : 'first'}","response"`,
          ),
        'latin1',
      ),
    ),
  },
  {
    id: 'batches-result-no-json',
    says: 'lines of the output file lack their closing brace',
    requirement: 'batches.results.lines-are-json',
    on: ['retrieveFileContent'],
    does: changeContent((bytes) =>
      Buffer.from(bytes.toString('latin1').replaceAll('"error":null}\n', '"error":null\n'), 'latin1'),
    ),
  },
  {
    id: 'batches-counts-wrong',
    says: 'request_counts.total of a batch is one too low',
    requirement: 'batches.results.counts-are-lines',
    on: ['retrieveBatch'],
    does: setInResponse('/request_counts/total', (total) => Number(total) - 1),
  },
  {
    id: 'batches-output-file-lost',
    says: 'the output file of a batch does not exist',
    filed: 'BerriAI/litellm#37718',
    requirement: 'batches.results.output-file-found',
    on: ['retrieveBatch'],
    does: setInResponse('/output_file_id', (id) => (typeof id === 'string' ? `${id}x` : (id ?? null))),
  },
  {
    id: 'batches-not-validating',
    says: 'new batches are in_progress',
    requirement: 'batches.create.validating',
    on: ['createBatch'],
    does: setInResponse('/status', 'in_progress'),
  },
  {
    id: 'batches-metadata-dropped',
    says: 'batches always have empty metadata',
    requirement: 'batches.create.keeps-metadata',
    on: ['createBatch'],
    does: ignoreField('metadata'),
  },
  {
    id: 'batches-cancel-without-effect',
    says: 'cancellations are answered but the batch continues',
    requirement: 'batches.cancel.cancelling',
    on: ['cancelBatch'],
    does: continueInState('retrieveBatch', 'in_progress'),
  },
  {
    id: 'batches-cancel-without-time',
    says: 'cancelled batches lack cancelling_at',
    requirement: 'batches.cancel.tells-since-when',
    on: ['cancelBatch', 'retrieveBatch'],
    does: setInResponse('/cancelling_at', null),
  },
  {
    id: 'batches-window-unchecked',
    says: 'accepts completion windows other than 24h',
    requirement: 'createBatch:body.completion_window#enum.rejected',
    on: ['createBatch'],
    does: {
      body: (body) =>
        typeof body === 'object' && body !== null && 'completion_window' in body
          ? { ...body, completion_window: '24h' }
          : body,
    },
  },
  {
    id: 'batches-purpose-unchecked',
    says: 'accepts files with the purpose assistants as batch input',
    requirement: 'batches.input.purpose',
    on: ['createFile'],
    does: storeUnderOtherPurpose('batch'),
  },
  ...listFaults('batches', 'listBatches', ['limit', 'after', 'first-id']),
];
