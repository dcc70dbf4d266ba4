import type { Exchange } from '../../exchange/exchange.ts';
import { arrayAt, textAt, valueAtPath } from '../../judge/evidence/json.ts';
import { responses, where } from '../../judge/evidence/selectors/answers.ts';
import {
  type CallSuccession,
  type SuccessionPlan,
  successions,
} from '../../judge/evidence/selectors/relations.ts';
import { swapResponses } from '../../judge/mutations/across-exchanges.ts';
import { inResponse, inResponseWhere, succeedInstead } from '../../judge/mutations/mutations.ts';
import { setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';
import type { Selector, Violation } from '../../judge/requirements/requirement.ts';
import type { Call } from '../../judge/trace/call.ts';
import { isWholeList } from '../generate/lists/selectors/whole.ts';
import { withoutDeletedFiles } from '../generate/relations/deleted-files.ts';
import { objectExistsIn } from '../generate/relations/deletion.ts';

const { stated, implied } = section('1 Assistant files');

/** Files of one assistant, see 1 Limits. */
const MOST = 20;

export const assistantFilesCreateIsTheFile = stated('assistant-files.create.is-the-file', {
  spec: '1 Assistant file',
  says: 'An assistant file has the id of the file that was attached.',
  selector: responses('createAssistantFile'),
  check: ({ requestJson: asked, json: answer }) => {
    const [wanted, actual] = [valueAtPath(asked, 'file_id'), valueAtPath(answer, 'id')];
    return actual === wanted ? [] : [{ at: '/id', expected: `${wanted}`, actual }];
  },
  mutations: {
    'a unique id': inResponse('createAssistantFile', setValue('/id', 'id_of_its_own')),
    'that of another file': swapResponses('createAssistantFile'),
  },
});

export const assistantFilesCreateInFileIds = implied('assistant-files.create.in-file-ids', {
  says: 'An attached file is in the file_ids of its assistant.',
  selector: withoutDeletedFiles(
    afterTie('createAssistantFile', ['deleteAssistantFile', 'modifyAssistant']),
    isAmongThem,
  ),
  check: isAmongThem,
  mutations: {
    'none at all': inResponse('retrieveAssistant', setValue('/file_ids', [])),
    'others in its place': inResponse('retrieveAssistant', setValue('/file_ids/*', 'file_of_another')),
  },
});

export const assistantFilesDeleteLeavesFileIds = implied('assistant-files.delete.leaves-file-ids', {
  says: 'A detached file is no longer in the file_ids of its assistant.',
  selector: afterTie('deleteAssistantFile', ['createAssistantFile', 'modifyAssistant']),
  check: ({ before, after }) => {
    const id = before.path['file_id'] ?? '';
    return fileIds(after).includes(id)
      ? [{ at: '/file_ids', expected: `no ${id}`, actual: fileIds(after) }]
      : [];
  },
  mutations: {
    'still among them': (trace) =>
      inResponse('retrieveAssistant', setValue('/file_ids', detachedIn(trace)))(trace),
    'behind the others': (trace) =>
      inResponse(
        'retrieveAssistant',
        setValue('/file_ids', (ids) => [...arrayAt(ids), ...detachedIn(trace)]),
      )(trace),
  },
});

export const assistantFilesModifyLeftOutIsDetached = stated('assistant-files.modify.left-out-is-detached', {
  spec: '1 Assistants',
  says: 'A file that a modification omits from file_ids is no longer attached.',
  selector: where(
    ofFiles({
      first: 'modifyAssistant',
      later: 'retrieveAssistantFile',
      until: ['createAssistantFile', 'modifyAssistant'],
      about: assistantOf,
    }),
    ({ before, after }) => {
      const named = arrayAt(before.requestJson, 'file_ids');
      const isLeftOut =
        valueAtPath(before.requestJson, 'file_ids') !== undefined &&
        !named.includes(after.path['file_id'] ?? '');
      return before.variant?.name === 'v1' && isLeftOut && objectExistsIn(after);
    },
  ),
  check: isTakenUp,
  mutations: {
    'still attached': succeedInstead('retrieveAssistantFile', () => ({ id: 'still_there' })),
    'marked as detached': succeedInstead('retrieveAssistantFile', () => ({
      id: 'still_there',
      deleted: true,
    })),
  },
});

export const assistantFilesListAsFileIds = implied('assistant-files.list.as-file-ids', {
  says: 'The files that are listed for an assistant are those in its file_ids.',
  selector: withoutDeletedFiles(
    where(
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
  mutations: {
    'none of them': inResponseWhere('listAssistantFiles', () => true, setValue('/data', [])),
    'one more': inResponse(
      'listAssistantFiles',
      setValue('/data', (data) => [...arrayAt(data), { id: 'file_of_another' }]),
    ),
  },
});

export const assistantFilesCreateAtMost20 = stated('assistant-files.create.at-most-20', {
  spec: '1 Limits',
  says: 'A 21st file cannot be attached to an assistant.',
  // Whether a file that is deleted still counts is not said.
  selector: withoutDeletedFiles(
    where(
      ofFiles({
        first: ['createAssistant', 'retrieveAssistant', 'modifyAssistant'],
        later: 'createAssistantFile',
        until: ['deleteAssistantFile', 'modifyAssistant'],
        about: assistantOf,
      }),
      ({ before, after }) => {
        const there = new Set(fileIds(before));
        const file = textAt(after.requestJson, 'file_id');
        const isFurther = file !== undefined && !there.has(file) && after.exchange.probe === null;
        return before.variant?.name === 'v1' && there.size === MOST && isFurther && objectExistsIn(after);
      },
    ),
    isTakenUp,
  ),
  check: isTakenUp,
  mutations: {
    'attached all the same': succeedInstead('createAssistantFile', () => ({ id: 'one_too_many' })),
    'accepted, and nothing said': succeedInstead('createAssistantFile', () => ({})),
  },
});

/** Ids of the files that were detached. */
function detachedIn(trace: readonly Exchange[]): readonly string[] {
  return trace.flatMap(({ request }) =>
    request.method === 'DELETE' ? [request.target.split('/').at(-1) ?? ''] : [],
  );
}

function isTakenUp({ after }: CallSuccession): readonly Violation[] {
  return after.responseClass === 'accepted'
    ? [{ at: 'status', expected: 'no 2xx', actual: after.status }]
    : [];
}

function isAmongThem({ before, after }: CallSuccession): readonly Violation[] {
  const id = textAt(before.requestJson, 'file_id');
  return fileIds(after).includes(id ?? '')
    ? []
    : [{ at: '/file_ids', expected: `${id}`, actual: fileIds(after) }];
}

function areTheFiles({ before, after }: CallSuccession): readonly Violation[] {
  const wanted = fileIds(before).toSorted();
  const actual = arrayAt(after.responseJson, 'data').map((file) => textAt(file, 'id') ?? '');
  const isSame = JSON.stringify(actual.toSorted()) === JSON.stringify(wanted);
  return isSame ? [] : [{ at: '/data', expected: JSON.stringify(wanted), actual }];
}

/** A look-up of files after a change of the assistant; it counts for the files. */
function ofFiles(plan: SuccessionPlan & { readonly later: string }): Selector<CallSuccession> {
  const successive = successions(plan);
  return {
    ...successive,
    operations: [plan.later, ...successive.operations.filter((id) => id !== plan.later)],
  };
}

/** An assistant in the legacy form, looked at after a tie was made or taken away. */
function afterTie(first: string, until: readonly string[]) {
  const successive = successions({ first, later: 'retrieveAssistant', until, about: assistantOf });
  return where(
    successive,
    ({ after }) => after.variant?.name === 'v1' && valueAtPath(after.responseJson, 'file_ids') !== undefined,
  );
}

function assistantOf({ path, operation, responseJson: answer }: Call): string | undefined {
  return operation.id === 'createAssistant' ? textAt(answer, 'id') : path['assistant_id'];
}

function fileIds({ responseJson: answer }: Call): readonly string[] {
  return arrayAt(answer, 'file_ids').filter((id) => typeof id === 'string');
}
