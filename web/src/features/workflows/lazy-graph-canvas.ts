import { lazyRouteComponent } from '@tanstack/react-router';

/** Loads beside the data of its page: what is there in time does not suspend, which React reveals up to 300 ms late. */
export const GraphCanvas = lazyRouteComponent(() => import('./graph-canvas.tsx'));
void GraphCanvas.preload?.();
