import type { Total } from '../../db/count-or-estimate.ts';
import type { LargePageQuery, OffsetQuery } from '../schemas/pagination.ts';

export const presentOffsetPage = <Item>(data: Item[], total: number, { page, pageSize }: OffsetQuery) => ({
  data,
  total,
  page,
  pageSize,
  totalPages: Math.ceil(total / pageSize),
});

interface LargePageFigures extends Total {
  page: number;
  cursor: string | null;
}

export const presentLargePage = <Item>(
  data: Item[],
  { total, totalAccuracy, page, cursor }: LargePageFigures,
  { pageSize }: LargePageQuery,
) => ({ data, total, totalAccuracy, page, pageSize, totalPages: Math.ceil(total / pageSize), cursor });
