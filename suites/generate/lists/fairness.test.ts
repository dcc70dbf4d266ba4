import fc from 'fast-check';
import { expect, test } from 'vitest';
import { behaviourSection } from '../../../judge/behaviours.ts';
import type { Catalogue } from '../../../judge/catalogue.ts';
import { judge } from '../../../judge/court.ts';
import type { Behaviour, Evidence } from '../../../judge/requirement.ts';
import { headerOf } from '../../../judge/testing/trace.ts';
import { related } from '../../assistant-files/life.requirements.ts';
import { ofBeta } from '../../assistants/life.requirements.ts';
import { type Client, crowd, type Deed, type Service } from '../testing/crowd.ts';
import { Shelf } from '../testing/shelf.ts';
import { cursors } from './cursor.requirements.ts';
import { envelopes } from './envelope.requirements.ts';
import { orders } from './order.requirements.ts';
import { sizes } from './size.requirements.ts';

const pages: readonly Behaviour<Evidence>[] = [...cursors, ...envelopes, ...orders, ...sizes].map(widened);

function widened<E extends Evidence>(one: Behaviour<E>): Behaviour<Evidence> {
  return one as unknown as Behaviour<Evidence>; // as: each is only ever handed the evidence of its own selector
}

function catalogueOf(behaviours: readonly Behaviour<Evidence>[]): Catalogue {
  const sections = [behaviourSection(behaviours)];
  return { sections, choices: [], exclusions: [], infeasible: [], scenarios: [], benign: [] };
}

const orders2 = ['asc', 'desc', undefined] as const;

/** A page somewhere in a list; the numbers decide which. */
function pageOf(operation: string, chance: number, ids: readonly string[], rest: Deed['asked']): Deed {
  const id = ids[(chance >> 6) % Math.max(1, ids.length)];
  const order = orders2[chance % 3];
  const limit = [undefined, '1', '2', '3'][(chance >> 2) % 4];
  const cursor = id === undefined ? {} : [{}, {}, { after: id }, { before: id }][(chance >> 4) % 4];
  const query = { ...cursor, ...(order && { order }), ...(limit && { limit }) };
  return { operation, asked: { ...rest, query } };
}

const beta = { beta: 'assistants=v2' };

const assistants: Client = (chance, { ids }) => {
  const id = ids[(chance >> 3) % Math.max(1, ids.length)] ?? 'asst_none';
  const path = { assistant_id: id };
  switch (chance % 8) {
    case 0:
    case 1:
      return { operation: 'createAssistant', asked: { ...beta, body: { model: 'any', name: `${chance}` } } };
    case 2:
      return { operation: 'modifyAssistant', asked: { ...beta, path, body: { name: `${chance}` } } };
    case 3:
      return { operation: 'retrieveAssistant', asked: { ...beta, path } };
    case 4:
      return {
        operation: 'deleteAssistant',
        asked: { beta: chance % 3 ? 'assistants=v2' : 'assistants=v1', path },
      };
    default:
      return pageOf('listAssistants', chance >> 3, ids, beta);
  }
};

function assistantService(): Service {
  const shelf = new Shelf();
  let count = 0;
  return ({ operation, asked }, second) => {
    const id = asked.path?.['assistant_id'] ?? '';
    const fields = asked.body as Record<string, string>; // as: bodies of the client above
    switch (operation) {
      case 'createAssistant':
        return shelf.add({ id: `asst_${count++}`, object: 'assistant', created_at: second, ...fields });
      case 'modifyAssistant':
        return shelf.change(id, fields);
      case 'retrieveAssistant':
        return shelf.find(id);
      case 'deleteAssistant':
        return shelf.remove(id, 'assistant.deleted');
      default:
        return shelf.page(asked);
    }
  };
}

const files: Client = (chance, { ids }) => {
  const assistant_id = `asst_${(chance >> 3) % 2}`;
  const file_id = `file_${(chance >> 4) % 5}`;
  const path = { assistant_id, file_id };
  switch (chance % 8) {
    case 0:
    case 1:
      return { operation: 'createAssistantFile', asked: { path: { assistant_id }, body: { file_id } } };
    case 2:
      return { operation: 'deleteAssistantFile', asked: { path } };
    case 3:
      return { operation: 'retrieveAssistantFile', asked: { path } };
    default:
      return pageOf('listAssistantFiles', chance >> 3, ids, { path: { assistant_id } });
  }
};

function fileService(): Service {
  const shelves = new Map<string, Shelf>();
  return ({ operation, asked }, second) => {
    const { assistant_id = '', file_id = '' } = asked.path ?? {};
    const shelf = shelves.get(assistant_id) ?? new Shelf();
    shelves.set(assistant_id, shelf);
    const fields = asked.body as Record<string, string>; // as: bodies of the client above
    switch (operation) {
      case 'createAssistantFile':
        return shelf.add({
          id: fields['file_id'] ?? '',
          object: 'assistant.file',
          created_at: second,
          assistant_id,
        });
      case 'deleteAssistantFile':
        return shelf.remove(file_id, 'assistant.file.deleted');
      case 'retrieveAssistantFile':
        return shelf.find(file_id);
      default:
        return shelf.page(asked);
    }
  };
}

const crowds = [
  { what: 'a list of the organisation', client: assistants, service: assistantService, related: ofBeta },
  { what: 'a list below an owner', client: files, service: fileService, related },
];

test.each(crowds)('nobody is accused where calls on $what overlap', ({ client, service, related: more }) => {
  const all = catalogueOf([...pages, ...more.map((one) => widened<Evidence>(one as Behaviour<Evidence>))]); // as: see widened
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.array(fc.nat(0xff_ffff), { minLength: 40, maxLength: 120 }), (numbers) => {
      const trace = crowd(numbers, [client, client, client], service());
      const { requirements } = judge(all, headerOf(), trace);
      for (const { id, verdict } of requirements) if (verdict === 'pass') seen.add(id);
      const broken = requirements.filter(({ verdict }) => verdict === 'fail' || verdict === 'error');
      expect(broken.map(({ id, cause, findings }) => ({ id, cause, findings }))).toEqual([]);
    }),
    { numRuns: 60 },
  );
  for (const rule of ['after', 'before', 'closure', 'has-more', 'order-asc', 'default-order']) {
    expect([...seen].some((id) => id.endsWith(`.page.${rule}`))).toBe(true);
  }
});
