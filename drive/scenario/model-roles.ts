import { extensions } from '../../schemas/index.ts';

export const MODEL_ROLES = [
  'chat',
  'completion',
  'suffix-completion',
  'assistant',
  'vision',
  'image-v2',
  'image-v3',
  'transcription',
  'speech',
  'moderation',
  'fine-tuning',
] as const;

export type ModelRole = (typeof MODEL_ROLES)[number];

export type RoleName = ModelRole | ExtensionRole;
type ExtensionRole = `${string}.${string}`;

export type RoleModels = Partial<Record<ModelRole, string>> & Record<ExtensionRole, string>;

export function extensionModels(): Readonly<Record<ExtensionRole, string>> {
  return Object.assign({}, ...extensions().map(({ models }) => models));
}

export function roleNames(): readonly RoleName[] {
  // as: an extension gives its roles names of this form
  return [...MODEL_ROLES, ...(Object.keys(extensionModels()) as ExtensionRole[])];
}
