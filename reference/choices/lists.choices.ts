// 1 List query parameters: cursors and ties. The alternatives about orders come first, because cursors follow them.
import { ownOperations } from '../../schemas/index.ts';
import {
  type Alternative,
  type ChoiceTable,
  dropFields,
  firstOfList,
  intercepting,
  paged,
  refuses,
  reordered,
  reversedSeconds,
  showField,
} from '../deviations/alternatives.ts';
import { ApiError } from '../http/api-error.ts';
import type { Json } from '../http/json.ts';

/** Lists that take a limit and cursors. */
const lists = ownOperations()
  .filter(({ list }) => list !== null && list.maxLimit !== null)
  .map(({ id }) => id);
const ordered = ownOperations()
  .filter(({ parameters }) => parameters.some(({ name }) => name === 'order'))
  .map(({ id }) => id);

export const choices: ChoiceTable = {
  'lists.order.same-second': {
    usual: 'as they were made',
    others: {
      otherwise: {
        ...reordered(ordered, reversedSeconds),
        unseen: 'seen only where two objects are made within a second of the service',
      },
    },
  },
  'lists.before.which-end': {
    usual: 'nearest to the cursor',
    others: { 'first of the list': paged(lists, firstOfList) },
  },
  'lists.cursor.both': {
    usual: 'what lies between',
    others: { 'as without before': ignoringOneOf('before'), 'as without after': ignoringOneOf('after') },
  },
  'lists.cursor.both-accepted': {
    usual: 'accepted',
    others: {
      refused: {
        ...refuses(lists, ({ query }) => query['after'] !== undefined && query['before'] !== undefined),
        hides: ['lists.cursor.both'],
      },
    },
  },
  'lists.cursor.unknown': {
    usual: 'refused',
    others: {
      'an empty page': unknownCursor('an empty page'),
      'the first page': unknownCursor('the first page'),
    },
  },
  'lists.empty-page.ids': {
    usual: 'null',
    others: {
      absent: emptyPages(undefined),
      'an empty string': emptyPages(''),
    },
  },
};

function ignoringOneOf(name: 'after' | 'before'): Alternative {
  return intercepting(lists, {
    handle: (request, proceed) => {
      const { after, before } = request.query;
      if (after === undefined || before === undefined) return proceed(request);
      return proceed({ ...request, query: { ...request.query, [name]: undefined } });
    },
  });
}

function unknownCursor(instead: 'an empty page' | 'the first page'): Alternative {
  return intercepting(lists, {
    handle: async (request, proceed) => {
      try {
        return await proceed(request);
      } catch (error) {
        if (!(error instanceof ApiError) || !['after', 'before'].includes(error.param ?? '')) throw error;
        if (instead === 'the first page')
          return proceed({ ...request, query: { ...request.query, after: undefined, before: undefined } });
        return { object: 'list', data: [], first_id: null, last_id: null, has_more: false };
      }
    },
  });
}

function emptyPages(id: Json | undefined): Alternative {
  return showField('list', (list) => {
    if (!Array.isArray(list['data']) || list['data'].length > 0 || !('first_id' in list)) return list;
    return { ...dropFields(list, ['first_id', 'last_id']), first_id: id, last_id: id };
  });
}
