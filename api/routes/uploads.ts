import { z } from 'zod';
import { maxImageBytes } from '../../core/images/upload-quota.ts';
import { imageCacheControl } from '../../providers/images/image-store.ts';
import { created, defineRoute, ok } from '../edge/define-route.ts';
import { readUpload } from '../edge/read-upload.ts';
import { present } from '../presenters/present.ts';
import * as schemas from '../schemas/uploads.ts';

const imageParams = z.object({ projectId: z.string(), file: z.string() });
const key = '0197c1f0-0000-7000-8000-000000000001/9b2f3c6a51d04e7f8a0c2d4e6f801234.png';

const example = {
  url: `https://mail.example.com/uploads/${key}`,
  key,
  contentType: 'image/png' as const,
  size: 48_213,
};

export const listUploads = defineRoute('GET /uploads', {
  summary: 'List uploaded images, newest first',
  query: schemas.listUploadsQuerySchema,
  responses: ok('A page of images, with the usage and quota of the project.', schemas.uploadPageSchema, {
    data: [{ ...example, createdAt: '2026-01-31T09:00:00.000Z' }],
    cursor: null,
    hasMore: false,
    used: { files: 1, bytes: 48_213 },
    quota: { files: 10_000, bytes: 10_737_418_240 },
  }),
  errors: ['BAD_REQUEST'],
  async handler(ctx, { project, query }) {
    const { images, cursor, used, quota } = await ctx.services.uploads.list(project.id, query);
    ctx.body = {
      data: images.map((image) => present(schemas.imageSchema, image)),
      cursor,
      hasMore: cursor !== null,
      used: { files: used.files, bytes: used.bytes },
      quota,
    };
  },
});

export const uploadImage = defineRoute('POST /uploads/image', {
  summary: 'Upload an image for template bodies',
  description:
    'A multipart form with one JPEG, PNG, GIF or WebP file of at most 10 MB in the field `image`. Only ' +
    "the content counts: the file's name and content type are ignored. SVG, and images that contain " +
    "markup or are also a PDF, are refused with 422. An image that would exceed the project's quota of " +
    'images or bytes is refused with 409, whose details show the usage. The URL is public, hard to guess ' +
    'and permanent.',
  uploadField: 'image',
  place: 'elsewhere',
  responses: created('Stored.', schemas.storedImageSchema, example),
  errors: ['BAD_REQUEST', 'VALIDATION_ERROR', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { project }) {
    const { uploads } = ctx.services;
    const upload = {
      field: 'image',
      limitBytes: maxImageBytes,
      heldFor: uploads.holdsImages ? project.id : undefined,
    };
    const image = await readUpload(ctx, upload, (bytes) => uploads.storeImage(project.id, bytes));
    ctx.body = image;
  },
});

export const deleteImage = defineRoute('DELETE /uploads/:projectId/:file', {
  summary: 'Delete an image',
  description: 'Emails with this image then show a gap, unless a mail program or a cache keeps a copy.',
  params: imageParams,
  responses: { 204: { description: 'Deleted.' } },
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  handler: (ctx, { project, params }) =>
    ctx.services.uploads.removeImage(project.id, `${params.projectId}/${params.file}`),
});

/** Whatever the file contains, the browser treats it only as an image of the declared type. */
const imageHeaders = {
  'Cache-Control': imageCacheControl,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

export const showImage = defineRoute('GET /uploads/:projectId/:file', {
  auth: 'none',
  summary: 'An uploaded image',
  description: 'Images stored on disk.',
  params: imageParams,
  responses: { 200: { description: 'The image.', contentType: 'image/*' } },
  errors: ['NOT_FOUND'],
  async handler(ctx, { params }) {
    const image = await ctx.services.uploads.openImage(`${params.projectId}/${params.file}`);
    ctx.set(imageHeaders);
    ctx.type = image.contentType;
    ctx.length = image.size;
    ctx.body = image.stream;
  },
});
