import { z } from 'zod';
import { imageTypes } from '../../core/images/image-key.ts';
import { imageCacheControl } from '../../providers/images/image-store.ts';
import { defineRoute } from '../edge/define-route.ts';
import { readUpload } from '../edge/read-upload.ts';

const maxImageBytes = 10 * 1024 * 1024;
const key = '0197c1f0-0000-7000-8000-000000000001/9b2f3c6a51d04e7f8a0c2d4e6f801234.png';

const imageSchema = z.object({
  url: z.url(),
  key: z.string(),
  contentType: z.enum(imageTypes),
  size: z.int().meta({ description: 'Bytes.' }),
});

export const uploadImage = defineRoute({
  method: 'POST',
  path: '/uploads/image',
  auth: 'secretKey',
  tags: ['Uploads'],
  summary: 'Upload an image for template bodies',
  description:
    "A multipart form with one JPEG, PNG, GIF or WebP file of at most 10 MB in the field `image`. What counts is the content: the name and the content type that come with the file are ignored. SVG, and images that hold markup or are a PDF at the same time, are refused with 422. What would go beyond the project's quota of images or bytes is refused with 409, whose details say how much is used. The URL is public, hard to guess and stays as it is.",
  bodyFormat: 'stream',
  uploadField: 'image',
  responses: {
    201: {
      description: 'Stored.',
      schema: imageSchema,
      example: {
        url: `https://mail.example.com/uploads/${key}`,
        key,
        contentType: 'image/png',
        size: 48_213,
      },
    },
  },
  errors: ['BAD_REQUEST', 'VALIDATION_ERROR', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  async handler({ project, request, services }) {
    const upload = { field: 'image', limitBytes: maxImageBytes };
    const image = await readUpload(request, upload, (bytes) =>
      services.uploads.storeImage(project.id, bytes),
    );
    return { status: 201, body: image };
  },
});

/** Whatever a file may hold, a browser takes it as an image of its declared type and nothing else. */
const imageHeaders = {
  'Cache-Control': imageCacheControl,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

export const showImage = defineRoute({
  method: 'GET',
  path: '/uploads/:projectId/:file',
  auth: 'none',
  tags: ['Uploads'],
  summary: 'An uploaded image',
  description: 'Of those that are kept on disk.',
  params: z.object({ projectId: z.string(), file: z.string() }),
  responses: { 200: { description: 'The image.', contentType: 'image/*' } },
  errors: ['NOT_FOUND'],
  async handler({ params, services }) {
    const image = await services.uploads.openImage(`${params.projectId}/${params.file}`);
    const headers = {
      ...imageHeaders,
      'Content-Type': image.contentType,
      'Content-Length': String(image.size),
    };
    return { status: 200, body: image.stream, headers };
  },
});
