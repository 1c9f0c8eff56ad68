// A film of pictures, made by ffmpeg.
#ifndef CLI_VIDEO_H
#define CLI_VIDEO_H

#include "child.h"

/// CLI_GO_ON if ffmpeg is on the PATH; otherwise that is said and CLI_FAILED returned.
int cli_video_find(char program[CLI_PATH]);

/// Makes `output` (FILE.mp4 or FILE.gif) of PNG pictures that stand one behind the other in the file `frames`. The
/// folder takes what is written on the way. Returns CLI_DONE or the exit status, which has been reported.
int cli_video_make(const char* program, const char* folder, const char* frames, double fps, const char* output);

#endif
