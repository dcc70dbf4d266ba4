import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeTrace } from '../../explain/judge.ts';
import { behaviourRequirements } from '../../judge/evidence/behaviour-requirements.ts';
import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import type { BehaviourRequirement, Evidence } from '../../judge/requirements/requirement.ts';
import { catalogueOfSets } from '../../judge/testing/catalogue-of-sets.ts';
import { testTraceHeader } from '../../judge/testing/trace-builder.ts';
import { pageRequirements } from './lists.requirements.ts';
import { relationRequirements } from './objects.requirements.ts';
import {
  type ConcurrentCall,
  type ConcurrentClient,
  type ConcurrentService,
  simulateConcurrentCalls,
} from './testing/concurrent-trace.ts';
import { ObjectStore } from './testing/object-store.ts';

const pages: readonly BehaviourRequirement<Evidence>[] = pageRequirements.map(widen);

function widen<E extends Evidence>(requirement: BehaviourRequirement<E>): BehaviourRequirement<Evidence> {
  return requirement as unknown as BehaviourRequirement<Evidence>; // as: each rule receives only evidence of its selector
}

function catalogueOf(requirements: readonly BehaviourRequirement<Evidence>[]): Catalogue {
  return catalogueOfSets([behaviourRequirements(requirements)]);
}

const ORDERS = ['asc', 'desc', undefined] as const;

function requestPage(
  operation: string,
  chance: number,
  ids: readonly string[],
  target: ConcurrentCall['request'],
): ConcurrentCall {
  const id = ids[(chance >> 6) % Math.max(1, ids.length)];
  const order = ORDERS[chance % 3];
  const limit = [undefined, '1', '2', '3'][(chance >> 2) % 4];
  const cursor = id === undefined ? {} : [{}, {}, { after: id }, { before: id }][(chance >> 4) % 4];
  const query = { ...cursor, ...(order && { order }), ...(limit && { limit }) };
  return { operation, request: { ...target, query } };
}

const beta = { beta: 'assistants=v2' };

const assistants: ConcurrentClient = (chance, ids) => {
  const id = ids[(chance >> 3) % Math.max(1, ids.length)] ?? 'asst_none';
  const path = { assistant_id: id };
  switch (chance % 8) {
    case 0:
    case 1:
      return {
        operation: 'createAssistant',
        request: { ...beta, body: { model: 'any', name: `${chance}` } },
      };
    case 2:
      return { operation: 'modifyAssistant', request: { ...beta, path, body: { name: `${chance}` } } };
    case 3:
      return { operation: 'retrieveAssistant', request: { ...beta, path } };
    case 4:
      return {
        operation: 'deleteAssistant',
        request: { beta: chance % 3 ? 'assistants=v2' : 'assistants=v1', path },
      };
    default:
      return requestPage('listAssistants', chance >> 3, ids, beta);
  }
};

function assistantService(): ConcurrentService {
  const store = new ObjectStore();
  let count = 0;
  return ({ operation, request }, second) => {
    const id = request.path?.['assistant_id'] ?? '';
    const fields = request.body as Record<string, string>; // as: bodies of the client above
    switch (operation) {
      case 'createAssistant':
        return store.add({ id: `asst_${count++}`, object: 'assistant', created_at: second, ...fields });
      case 'modifyAssistant':
        return store.change(id, fields);
      case 'retrieveAssistant':
        return store.find(id);
      case 'deleteAssistant':
        return store.remove(id, 'assistant.deleted');
      default:
        return store.readPage(request);
    }
  };
}

const files: ConcurrentClient = (chance, ids) => {
  const assistant_id = `asst_${(chance >> 3) % 2}`;
  const file_id = `file_${(chance >> 4) % 5}`;
  const path = { assistant_id, file_id };
  switch (chance % 8) {
    case 0:
    case 1:
      return { operation: 'createAssistantFile', request: { path: { assistant_id }, body: { file_id } } };
    case 2:
      return { operation: 'deleteAssistantFile', request: { path } };
    case 3:
      return { operation: 'retrieveAssistantFile', request: { path } };
    default:
      return requestPage('listAssistantFiles', chance >> 3, ids, { path: { assistant_id } });
  }
};

function fileService(): ConcurrentService {
  const storeByOwner = new Map<string, ObjectStore>();
  return ({ operation, request }, second) => {
    const { assistant_id = '', file_id = '' } = request.path ?? {};
    const store = storeByOwner.get(assistant_id) ?? new ObjectStore();
    storeByOwner.set(assistant_id, store);
    const fields = request.body as Record<string, string>; // as: bodies of the client above
    switch (operation) {
      case 'createAssistantFile':
        return store.add({
          id: fields['file_id'] ?? '',
          object: 'assistant.file',
          created_at: second,
          assistant_id,
        });
      case 'deleteAssistantFile':
        return store.remove(file_id, 'assistant.file.deleted');
      case 'retrieveAssistantFile':
        return store.find(file_id);
      default:
        return store.readPage(request);
    }
  };
}

const crowds = [
  {
    list: 'a list of the organization',
    client: assistants,
    service: assistantService,
    relations: relationsOf('assistants-v2'),
  },
  {
    list: 'a list below an owner',
    client: files,
    service: fileService,
    relations: relationsOf('assistant-files'),
  },
];

function relationsOf(area: string): readonly BehaviourRequirement<Evidence>[] {
  return relationRequirements.filter(({ id }) => id.startsWith(`${area}.`)).map(widen);
}

test.each(crowds)(
  'a conforming target is not accused if calls on $list overlap',
  ({ client, service, relations }) => {
    const catalogue = catalogueOf([...pages, ...relations]);
    const passedIds = new Set<string>();
    fc.assert(
      fc.property(fc.array(fc.nat(0xff_ffff), { minLength: 40, maxLength: 120 }), (numbers) => {
        const trace = simulateConcurrentCalls(numbers, [client, client, client], service());
        const { requirements } = judgeTrace(catalogue, testTraceHeader(), trace);
        for (const { id, verdict } of requirements) if (verdict === 'pass') passedIds.add(id);
        const broken = requirements.filter(({ verdict }) => verdict === 'fail' || verdict === 'error');
        expect(broken.map(({ id, cause, findings }) => ({ id, cause, findings }))).toEqual([]);
      }),
      // Fewer runs may not show every requirement below.
      { numRuns: 60 },
    );
    for (const rule of ['after', 'before', 'closure', 'has-more', 'order-asc', 'default-order']) {
      expect([...passedIds].some((id) => id.endsWith(`.page.${rule}`))).toBe(true);
    }
  },
);
