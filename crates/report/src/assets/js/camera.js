// An orbiting camera, z up: a target, two angles and a distance.

const FIELD_OF_VIEW = 0.6;
// Pitch for what stands in a bucket as high as it is wide (rad).
const OVER_THE_RIM = 0.95;

function makeCamera() {
  const camera = {
    target: [0, 0, 0], yaw: -1.05, pitch: 0.32, distance: 5, radius: 1, watchers: [],
    changed: () => camera.watchers.forEach((watcher) => watcher()),
    eye() {
      const flat = Math.cos(camera.pitch) * camera.distance;
      const away = [flat * Math.cos(camera.yaw), flat * Math.sin(camera.yaw), Math.sin(camera.pitch) * camera.distance];
      return add(camera.target, away);
    },
    // {view, projection, both, eye} for a picture of this shape; seen from as far to the side as `along` says.
    matrices(aspect, along = [0, 0, 0]) {
      const eye = add(camera.eye(), along);
      const view = lookAt(eye, add(camera.target, along), [0, 0, 1]);
      const near = Math.max(camera.distance - 4 * camera.radius, camera.distance * 0.02);
      const projection = perspective(FIELD_OF_VIEW, aspect, near, camera.distance + 60 * camera.radius);
      return { view, projection, both: multiply(projection, view), eye };
    },
    // Looks from the present angles so that every stop [x, y, z, radius] is just in the picture.
    fit({ centre, radius, stops }, aspect) {
      camera.radius = radius;
      camera.target = centre;
      const away = unit(sub(camera.eye(), centre));
      const right = unit(cross([0, 0, 1], away));
      const axes = [[right, Math.tan(FIELD_OF_VIEW / 2) * aspect], [cross(away, right), Math.tan(FIELD_OF_VIEW / 2)]];
      let distance = 0.1 * radius;
      for (const [axis, slope] of axes) {
        // The tightest pair of frustum sides: how far out each side must stand, then the middle between them.
        let low = -Infinity;
        let high = -Infinity;
        const margin = Math.hypot(1, slope);
        for (const [x, y, z, r] of stops) {
          const p = sub([x, y, z], centre);
          const depth = dot(p, away) * slope;
          low = Math.max(low, depth - dot(p, axis) + r * margin);
          high = Math.max(high, depth + dot(p, axis) + r * margin);
        }
        camera.target = add(camera.target, times(axis, (high - low) / 2));
        distance = Math.max(distance, (low + high) / 2 / slope);
      }
      camera.distance = distance * 1.08;
      camera.changed();
    },
    orbit(dx, dy) {
      camera.yaw -= dx;
      // Short of the pole, where "up" would lose its meaning.
      camera.pitch = Math.min(1.565, Math.max(-1.565, camera.pitch + dy));
      camera.changed();
    },
    // By a fraction of the picture's height.
    pan(dx, dy) {
      const { view } = camera.matrices(1);
      const size = 2 * camera.distance * Math.tan(FIELD_OF_VIEW / 2);
      const right = [view[0], view[4], view[8]];
      const top = [view[1], view[5], view[9]];
      camera.target = add(camera.target, add(times(right, -dx * size), times(top, dy * size)));
      camera.changed();
    },
    zoom(factor) {
      const { radius } = camera;
      camera.distance = Math.min(40 * radius, Math.max(0.03 * radius, camera.distance * factor));
      camera.changed();
    },
    look(yaw, pitch) {
      camera.yaw = yaw;
      camera.pitch = pitch;
      camera.changed();
    },
  };
  return camera;
}
