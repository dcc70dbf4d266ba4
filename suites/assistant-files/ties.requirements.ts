import type { Exchange } from '../../exchange/exchange.ts';
import type { Call } from '../../judge/call.ts';
import { answersOfOthers } from '../../judge/edit/between.ts';
import { inAnswer, inAnswerWhere, succeedAnyway } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import type { Complaint, Selector } from '../../judge/requirement.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { type Succession, type SuccessionPlan, successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { isWholeList } from '../generate/lists/whole.ts';
import { tells } from '../generate/relations/gone.ts';
import { withoutLostFiles } from '../generate/relations/losses.ts';

const SPEC = '1 Assistant files';
/** Files of one assistant, see 1 Limits. */
const MOST = 20;

export const isTheFile = requirement({
  id: 'assistant-files.create.is-the-file',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Assistant file',
  says: 'An assistant file has the id of the file that was attached.',
  on: answers('createAssistantFile'),
  check: ({ asked, answer }) => {
    const [wanted, actual] = [get(asked, 'file_id'), get(answer, 'id')];
    return actual === wanted ? [] : [{ at: '/id', expected: `${wanted}`, actual }];
  },
  breaks: {
    'an id of its own': inAnswer('createAssistantFile', put('/id', 'id_of_its_own')),
    'that of another file': answersOfOthers('createAssistantFile'),
  },
});

export const attached = requirement({
  id: 'assistant-files.create.in-file-ids',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A file that is attached is among the file_ids of its assistant.',
  on: withoutLostFiles(
    afterTie('createAssistantFile', ['deleteAssistantFile', 'modifyAssistant']),
    isAmongThem,
  ),
  check: isAmongThem,
  breaks: {
    'none at all': inAnswer('retrieveAssistant', put('/file_ids', [])),
    'others in its place': inAnswer('retrieveAssistant', put('/file_ids/*', 'file_of_another')),
  },
});

export const detached = requirement({
  id: 'assistant-files.delete.leaves-file-ids',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A file that is detached is among the file_ids of its assistant no more.',
  on: afterTie('deleteAssistantFile', ['createAssistantFile', 'modifyAssistant']),
  check: ({ before, after }) => {
    const id = before.path['file_id'] ?? '';
    return fileIds(after).includes(id)
      ? [{ at: '/file_ids', expected: `no ${id}`, actual: fileIds(after) }]
      : [];
  },
  breaks: {
    'still among them': (trace) => inAnswer('retrieveAssistant', put('/file_ids', detachedIn(trace)))(trace),
    'behind the others': (trace) =>
      inAnswer(
        'retrieveAssistant',
        put('/file_ids', (ids) => [...list(ids), ...detachedIn(trace)]),
      )(trace),
  },
});

export const leftOut = requirement({
  id: 'assistant-files.modify.left-out-is-detached',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Assistants',
  says: 'A file that a modification leaves out of file_ids is attached no more.',
  on: only(
    ofFiles({
      first: 'modifyAssistant',
      later: 'retrieveAssistantFile',
      until: ['createAssistantFile', 'modifyAssistant'],
      about: assistantOf,
    }),
    ({ before, after }) => {
      const named = list(before.asked, 'file_ids');
      const isLeftOut =
        get(before.asked, 'file_ids') !== undefined && !named.includes(after.path['file_id'] ?? '');
      return before.variant?.name === 'v1' && isLeftOut && tells(after);
    },
  ),
  check: isTakenUp,
  breaks: {
    'still attached': succeedAnyway('retrieveAssistantFile', () => ({ id: 'still_there' })),
    'marked as detached': succeedAnyway('retrieveAssistantFile', () => ({
      id: 'still_there',
      deleted: true,
    })),
  },
});

export const asFileIds = requirement({
  id: 'assistant-files.list.as-file-ids',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The files that are listed for an assistant are those in its file_ids.',
  on: withoutLostFiles(
    only(
      ofFiles({
        first: ['createAssistant', 'retrieveAssistant', 'modifyAssistant'],
        later: 'listAssistantFiles',
        until: ['createAssistantFile', 'deleteAssistantFile', 'modifyAssistant'],
        about: assistantOf,
      }),
      ({ before, after }) => before.variant?.name === 'v1' && isWholeList(after),
    ),
    areTheFiles,
  ),
  check: areTheFiles,
  breaks: {
    'none of them': inAnswerWhere('listAssistantFiles', () => true, put('/data', [])),
    'one more': inAnswer(
      'listAssistantFiles',
      put('/data', (data) => [...list(data), { id: 'file_of_another' }]),
    ),
  },
});

export const atMost20 = requirement({
  id: 'assistant-files.create.at-most-20',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Limits',
  says: 'An assistant that has 20 files is given no further one.',
  // Whether a file that is deleted still counts is not said.
  on: withoutLostFiles(
    only(
      ofFiles({
        first: ['createAssistant', 'retrieveAssistant', 'modifyAssistant'],
        later: 'createAssistantFile',
        until: ['deleteAssistantFile', 'modifyAssistant'],
        about: assistantOf,
      }),
      ({ before, after }) => {
        const there = new Set(fileIds(before));
        const file = text(after.asked, 'file_id');
        const isFurther = file !== undefined && !there.has(file) && after.exchange.probe === null;
        return before.variant?.name === 'v1' && there.size === MOST && isFurther && tells(after);
      },
    ),
    isTakenUp,
  ),
  check: isTakenUp,
  breaks: {
    'attached all the same': succeedAnyway('createAssistantFile', () => ({ id: 'one_too_many' })),
    'accepted, and nothing said': succeedAnyway('createAssistantFile', () => ({})),
  },
});

/** Ids of the files that were detached. */
function detachedIn(trace: readonly Exchange[]): readonly string[] {
  return trace.flatMap(({ request }) =>
    request.method === 'DELETE' ? [request.target.split('/').at(-1) ?? ''] : [],
  );
}

function isTakenUp({ after }: Succession): readonly Complaint[] {
  return after.outcome === 'accepted' ? [{ at: 'status', expected: 'no 2xx', actual: after.status }] : [];
}

function isAmongThem({ before, after }: Succession): readonly Complaint[] {
  const id = text(before.asked, 'file_id');
  return fileIds(after).includes(id ?? '')
    ? []
    : [{ at: '/file_ids', expected: `${id}`, actual: fileIds(after) }];
}

function areTheFiles({ before, after }: Succession): readonly Complaint[] {
  const wanted = fileIds(before).toSorted();
  const actual = list(after.answer, 'data').map((file) => text(file, 'id') ?? '');
  const isSame = JSON.stringify(actual.toSorted()) === JSON.stringify(wanted);
  return isSame ? [] : [{ at: '/data', expected: JSON.stringify(wanted), actual }];
}

/** A look at files after something that the assistant was told; it counts for the files. */
function ofFiles(plan: SuccessionPlan & { readonly later: string }): Selector<Succession> {
  const told = successions(plan);
  return { ...told, operations: [plan.later, ...told.operations.filter((id) => id !== plan.later)] };
}

/** An assistant in the legacy form, looked at after a tie was made or taken away. */
function afterTie(first: string, until: readonly string[]) {
  const told = successions({ first, later: 'retrieveAssistant', until, about: assistantOf });
  return only(
    told,
    ({ after }) => after.variant?.name === 'v1' && get(after.answer, 'file_ids') !== undefined,
  );
}

function assistantOf({ path, operation, answer }: Call): string | undefined {
  return operation.id === 'createAssistant' ? text(answer, 'id') : path['assistant_id'];
}

function fileIds({ answer }: Call): readonly string[] {
  return list(answer, 'file_ids').filter((id) => typeof id === 'string');
}
