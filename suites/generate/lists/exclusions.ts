import type { Infeasible } from '../../../judge/catalogue.ts';
import { listRows } from './rows.ts';

/** What lists cannot show because too few elements can be made. */
export const infeasible: readonly Infeasible[] = listRows().flatMap(({ subject, traits }) => {
  const { make, defaultLimit } = traits;
  const most = `no more than ${make} elements can be made by themselves`;
  return [
    ...(defaultLimit !== null && make <= defaultLimit
      ? [
          {
            id: `${subject}.page.default-limit`,
            reason: `${most}, and a page holds ${defaultLimit} by default`,
          },
        ]
      : []),
    ...(make < 2
      ? ['order-asc', 'order-desc', 'default-order', 'reverse'].map((rule) => ({
          id: `${subject}.page.${rule}`,
          reason: `${most}, and an order shows only between two seconds`,
        }))
      : []),
  ];
});
