import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';

export const idParams = z.object({ id: idSchema });
