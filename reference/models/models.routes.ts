// Models (2 Models): the built-in ones and those that fine-tuning created. Only the latter can be deleted.
import { type Routes, serves } from '../http/route.ts';
import { type Model, modelsOf } from '../model/catalogue.ts';

export const routes: Routes = (service) => {
  const models = modelsOf(service);
  return [
    serves('listModels', () => ({ object: 'list', data: models.all.values().map(show) })),
    serves('retrieveModel', ({ path }) => show(models.need(path['model'] ?? ''))),
    serves('deleteModel', ({ path }) => {
      const id = path['model'] ?? '';
      models.delete(id);
      return { id, object: 'model', deleted: true };
    }),
  ];
};

function show({ id, created, owned_by }: Model) {
  return { id, object: 'model', created, owned_by };
}
