import { z } from 'zod';

export const nullableId = z.uuid().nullable();
export const nullableInstant = z.iso.datetime().nullable();
export const nullableText = z.string().nullable();
