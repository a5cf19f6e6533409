// GLSL of the viewer. Colours are linear light inside and written as sRGB at the end. World coordinates, z up.

const LIGHT_DIRECTION = [0.36, -0.42, 0.83];

const GLSL_HEAD = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
`;

const GLSL_SRGB = `
vec3 srgb(vec3 c) { return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2)); }
`;

// Share of the light that reaches a point: 9 taps of the shadow map; 1 outside of it.
const GLSL_SHADOW = `
uniform sampler2DShadow shadow_map;
uniform mat4 shadow_matrix;
uniform float shadow_texel;
float lit(vec3 world, vec3 n) {
  vec4 s = shadow_matrix * vec4(world + n * shadow_texel * 3.0, 1.0);
  vec3 p = s.xyz * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++)
      sum += texture(shadow_map, vec3(p.xy + vec2(x, y) / 1536.0, p.z - 0.0006));
  return sum / 9.0;
}
` + GLSL_SRGB;

// Where the map is not drawn, what most of a pile has. In a program of its own: without a card both sides of a question are worked out.
const GLSL_NO_SHADOW = `
float lit(vec3 world, vec3 n) { return 0.8; }
` + GLSL_SRGB;

const BODY_VERTEX = GLSL_HEAD + `
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
uniform mat4 camera, model;
out vec3 world, world_normal, corner;
void main() {
  vec4 w = model * vec4(position, 1.0);
  world = w.xyz;
  world_normal = mat3(model) * normal;
  // Triangles are drawn without an index, so the vertex number tells the corner.
  int k = gl_VertexID % 3;
  corner = vec3(k == 0, k == 1, k == 2);
  gl_Position = camera * w;
}`;

const bodyFragment = (shadow) => GLSL_HEAD + shadow + `
in vec3 world, world_normal, corner;
uniform vec3 eye, colour, light, shine;
uniform float flat_normals, edges, picked;
out vec4 pixel;
void main() {
  vec3 to_eye = normalize(eye - world);
  vec3 n = flat_normals > 0.5 ? normalize(cross(dFdx(world), dFdy(world))) : normalize(world_normal);
  if (dot(n, to_eye) < 0.0) n = -n;
  float key = max(dot(n, light), 0.0) * lit(world, n);
  float sky = 0.5 + 0.5 * n.z;
  vec3 c = colour * (0.20 + 0.30 * sky + 0.72 * key);
  vec3 h = normalize(light + to_eye);
  c += vec3(0.10) * pow(max(dot(n, h), 0.0), 42.0) * key;
  c += vec3(0.05) * pow(1.0 - max(dot(n, to_eye), 0.0), 3.0) * sky;
  if (picked > 0.5) {
    // Its rim and a quarter of its face: the shape stays to be read.
    float rim = smoothstep(0.45, 0.95, 1.0 - max(dot(n, to_eye), 0.0));
    c = mix(c, shine * (0.6 + 0.6 * sky), 0.28 + 0.72 * rim);
  }
  if (edges > 0.5) {
    vec3 width = fwidth(corner);
    vec3 near = smoothstep(width * 0.4, width * 1.3, corner);
    float line = 1.0 - min(min(near.x, near.y), near.z);
    // Where triangles are smaller than pixels the lines would paint everything dark.
    line *= 1.0 - smoothstep(0.25, 0.6, max(max(width.x, width.y), width.z));
    c = mix(c, c * 0.12, line * 0.85);
  }
  pixel = vec4(srgb(c), 1.0);
}`;

const DEPTH_VERTEX = GLSL_HEAD + `
layout(location = 0) in vec3 position;
uniform mat4 camera, model;
void main() { gl_Position = camera * model * vec4(position, 1.0); }`;

const DEPTH_FRAGMENT = GLSL_HEAD + `
void main() {}`;

const GROUND_VERTEX = GLSL_HEAD + `
layout(location = 0) in vec2 at;
uniform mat4 camera;
uniform vec3 centre, side_u, side_v;
uniform float reach;
out vec3 world;
out vec2 local;
void main() {
  local = at * reach;
  world = centre + side_u * local.x + side_v * local.y;
  gl_Position = camera * vec4(world, 1.0);
}`;

const groundFragment = (shadow) => GLSL_HEAD + shadow + `
in vec3 world;
in vec2 local;
uniform vec3 side_u, side_v, normal, floor_colour, line_colour, eye;
uniform float cell, reach, fill;
out vec4 pixel;
float lines(vec2 at, float thickness) {
  vec2 width = max(fwidth(at), vec2(1e-7));
  vec2 near = abs(fract(at - 0.5) - 0.5) / width;
  float line = 1.0 - min(min(near.x, near.y) / thickness, 1.0);
  return line * (1.0 - smoothstep(0.2, 0.7, max(width.x, width.y)));
}
void main() {
  vec2 at = vec2(dot(world, side_u), dot(world, side_v)) / cell;
  float line = max(0.45 * lines(at, 1.0), 0.95 * lines(at / 5.0, 1.4));
  float far = length(local) / reach;
  float fade = 1.0 - smoothstep(0.12, 0.95, far);
  vec3 c = mix(floor_colour, line_colour, line);
  float shade = fill > 0.5 ? mix(0.58, 1.0, lit(world, normal)) : 1.0;
  float below = dot(eye - world, normal) < 0.0 ? 0.3 : 1.0;
  float alpha = fade * below * (fill > 0.5 ? 1.0 : line * 0.8);
  pixel = vec4(srgb(c * shade) * alpha, alpha);
}`;

// Round sprites: contact marks (size in pixels) and particles (size in metres, shaded as balls).
const POINT_VERTEX = GLSL_HEAD + `
layout(location = 0) in vec3 position;
uniform mat4 camera, model;
uniform float pixels, metres, lift;
void main() {
  vec4 p = camera * model * vec4(position, 1.0);
  // Marks lie in the surface they mark; a little nearer to the eye they are seen whole.
  p.z -= lift * p.w;
  gl_Position = p;
  gl_PointSize = metres > 0.0 ? clamp(metres * pixels / p.w, 2.0, 200.0) : pixels;
}`;

const POINT_FRAGMENT = GLSL_HEAD + `
uniform vec3 colour, rim;
uniform float ball, alpha;
out vec4 pixel;
vec3 srgb(vec3 c) { return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2)); }
void main() {
  vec2 d = gl_PointCoord * 2.0 - 1.0;
  float r = length(d);
  float soft = fwidth(r);
  float cover = 1.0 - smoothstep(1.0 - soft, 1.0, r);
  if (cover <= 0.0) discard;
  vec3 n = vec3(d.x, -d.y, sqrt(max(0.0, 1.0 - r * r)));
  vec3 shaded = colour * (0.35 + 0.75 * max(dot(n, normalize(vec3(0.4, 0.7, 0.6))), 0.0));
  vec3 flat_mark = mix(colour, rim, smoothstep(0.62 - soft, 0.62, r));
  float a = cover * alpha;
  pixel = vec4(srgb(ball > 0.5 ? shaded : flat_mark) * a, a);
}`;

// One arrow along +z, drawn once per force. The head keeps its shape whatever the length.
const ARROW_VERTEX = GLSL_HEAD + `
layout(location = 0) in vec4 shape;   // ring x, ring y, 0 tail 1 neck 2 brim 3 tip, unused
layout(location = 1) in vec3 origin;
layout(location = 2) in vec3 along;
uniform mat4 camera;
uniform float thick;
out vec3 face;
void main() {
  float len = length(along);
  vec3 d = along / max(len, 1e-30);
  vec3 u = normalize(cross(abs(d.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0), d));
  vec3 v = cross(d, u);
  float head = min(thick * 5.0, len * 0.6);
  float wide = thick * min(1.0, len / (thick * 5.0));
  float r = shape.z < 1.5 ? wide : shape.z < 2.5 ? wide * 2.3 : 0.0;
  float h = shape.z < 0.5 ? 0.0 : shape.z < 2.5 ? len - head : len;
  face = u * shape.x + v * shape.y + (shape.z > 1.5 ? d * 0.5 : vec3(0));
  gl_Position = camera * vec4(origin + (u * shape.x + v * shape.y) * r + d * h, 1.0);
}`;

const ARROW_FRAGMENT = GLSL_HEAD + `
in vec3 face;
uniform vec3 colour, light;
uniform float alpha;
out vec4 pixel;
void main() {
  vec3 c = colour * (0.62 + 0.45 * max(dot(normalize(face), light), 0.0));
  pixel = vec4(pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2)) * alpha, alpha);
}`;
