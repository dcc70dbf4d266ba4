import { fileIdDifferences } from '../files/file.ts';
import { withoutDeletedFiles } from '../generate/deleted-objects.ts';
import { isWholeList } from '../generate/lists.ts';
import { rowOf } from '../rows/rows.ts';
import { setIn } from '../vocabulary/changes.ts';
import { follow, LruMap } from '../vocabulary/collecting.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { settled, successions, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type {
  Call,
  CallSuccession,
  Evidence,
  Exchange,
  Selector,
  SuccessionPlan,
  Violation,
} from '../vocabulary/types.ts';

const MAX_FILES = 20;

export const assistantFilesCreateInFileIds = rowOf('assistant-files.create.in-file-ids', {
  evidence: withoutDeletedFiles(
    fileIdsShownAfter('createAssistantFile', ['deleteAssistantFile', 'modifyAssistant']),
    requireAttachedFile,
  ),
  check: requireAttachedFile,
});

export const assistantFilesDeleteLeavesFileIds = rowOf('assistant-files.delete.leaves-file-ids', {
  evidence: fileIdsShownAfter('deleteAssistantFile', ['createAssistantFile', 'modifyAssistant']),
  check: ({ before, after }) => {
    const id = before.path['file_id'] ?? '';
    return fileIds(after).includes(id) ? [violation('/file_ids', `no ${id}`, fileIds(after))] : [];
  },
  broken_by: {
    'still among them': (trace) => setIn('retrieveAssistant', '/file_ids', deletedIdsIn(trace))(trace),
    'behind the others': (trace) =>
      setIn('retrieveAssistant', '/file_ids', (ids) => [...arrayAt(ids), ...deletedIdsIn(trace)])(trace),
  },
});

const leavesOutFile = that<CallSuccession>(
  'of a file that the modification leaves out of file_ids, with a conclusive outcome',
  ({ before, after }) => {
    const keptIds = valueAtPath(before.requestJson, 'file_ids');
    // Whether null removes the files or keeps them is not stated.
    const isLeftOut = Array.isArray(keptIds) && !keptIds.includes(after.path['file_id'] ?? '');
    return before.variant?.name === 'v1' && isLeftOut && settled({ after });
  },
);

export const assistantFilesModifyLeftOutIsDetached = rowOf('assistant-files.modify.left-out-is-detached', {
  evidence: where(
    laterFirstSuccessions({
      first: 'modifyAssistant',
      later: 'retrieveAssistantFile',
      until: ['createAssistantFile', 'modifyAssistant'],
      about: assistantIdOf,
    }),
    leavesOutFile,
  ),
});

const listsAllFiles = that<CallSuccession>(
  'that lists everything',
  ({ before, after }) => before.variant?.name === 'v1' && isWholeList(after),
);

export const assistantFilesListAsFileIds = rowOf('assistant-files.list.as-file-ids', {
  evidence: withoutDeletedFiles(
    where(
      laterFirstSuccessions({
        first: ['createAssistant', 'retrieveAssistant', 'modifyAssistant'],
        later: 'listAssistantFiles',
        until: ['createAssistantFile', 'deleteAssistantFile', 'modifyAssistant'],
        about: assistantIdOf,
      }),
      listsAllFiles,
    ),
    fileIdDifferences,
  ),
  check: fileIdDifferences,
});

const addsFileBeyondMaximum = that<CallSuccession>(
  `of one more file than the maximum of ${MAX_FILES}, with a conclusive outcome`,
  ({ before, after }) => {
    const attachedIds = new Set(fileIds(before));
    const file = textAt(after.requestJson, 'file_id');
    const isFurther = file !== undefined && !attachedIds.has(file) && after.exchange.probe === null;
    const isFull = before.variant?.name === 'v1' && attachedIds.size === MAX_FILES;
    return isFull && isFurther && settled({ after });
  },
);

export const assistantFilesCreateAtMost20 = rowOf('assistant-files.create.at-most-20', {
  evidence: withoutDeletedFiles(
    where(
      laterFirstSuccessions({
        first: ['createAssistant', 'retrieveAssistant', 'modifyAssistant'],
        later: 'createAssistantFile',
        until: ['deleteAssistantFile', 'modifyAssistant'],
        about: assistantIdOf,
      }),
      addsFileBeyondMaximum,
    ),
    requireRefusal,
  ),
  check: requireRefusal,
});

const attachments: Selector<Evidence & { readonly call: Call; readonly purpose: string }> = follow(
  ['createAssistantFile', 'createFile'],
  () => {
    const purposes = new LruMap<{ readonly purpose: string; readonly call: Call }>();
    return (call) => {
      if (call.operation.id === 'createFile') {
        const id = textAt(call.responseJson, 'id');
        const purpose = textAt(call.responseJson, 'purpose');
        if (id !== undefined && purpose !== undefined) purposes.set(id, { purpose, call });
        return [];
      }
      const file = purposes.get(textAt(call.requestJson, 'file_id') ?? '');
      if (file === undefined) return [];
      return [{ call, purpose: file.purpose, exchanges: [file.call.exchange, call.exchange] }];
    };
  },
  'an attachment of a file whose upload was answered with its purpose',
);

export const assistantFilesCreateNeedsPurpose = rowOf('assistant-files.create.needs-purpose', {
  evidence: attachments,
});

function deletedIdsIn(trace: readonly Exchange[]): readonly string[] {
  return trace.flatMap(({ request }) =>
    request.method === 'DELETE' ? [request.target.split('/').at(-1) ?? ''] : [],
  );
}

function requireRefusal({ after }: CallSuccession): readonly Violation[] {
  return after.responseClass === 'accepted' ? [violation('status', 'no 2xx', after.status)] : [];
}

function requireAttachedFile({ before, after }: CallSuccession): readonly Violation[] {
  const id = textAt(before.requestJson, 'file_id');
  return id === undefined || fileIds(after).includes(id) ? [] : [violation('/file_ids', id, fileIds(after))];
}

/** Puts the later operation first, as the first operation of a selector sets the family of its requirements. */
function laterFirstSuccessions(plan: SuccessionPlan & { readonly later: string }): Selector<CallSuccession> {
  const selector = successions(plan);
  return { ...selector, operations: [plan.later, ...selector.operations.filter((id) => id !== plan.later)] };
}

function fileIdsShownAfter(first: string, until: readonly string[]) {
  return where(
    successions({ first, later: 'retrieveAssistant', until, about: assistantIdOf }),
    that(
      'that shows file_ids',
      ({ after }) =>
        after.variant?.name === 'v1' && valueAtPath(after.responseJson, 'file_ids') !== undefined,
    ),
  );
}

function assistantIdOf({ path, operation, responseJson }: Call): string | undefined {
  return operation.id === 'createAssistant' ? textAt(responseJson, 'id') : path['assistant_id'];
}

function fileIds({ responseJson }: Call): readonly string[] {
  return arrayAt(responseJson, 'file_ids').filter((id) => typeof id === 'string');
}
